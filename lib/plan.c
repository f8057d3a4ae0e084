/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line is words between blanks, the first says what the line is about. Every vocabulary comes
 * from the tables in abi/, so a message that lists the valid words is always complete.
 */
#include "lib/plan.h"

#include <string.h>

#include "lib/options.h"
#include "lib/text.h"

#define LIMIT_MS_DEFAULT 20000u
#define LIMIT_MS_MAX 14400000u

#define ORDER_WORDS "abba once" /* in the order of enum plan_order */

#define X(NAME, word) word " "
static const char platform_words[] = PLATFORMS(X);
#undef X

static const struct run_config presets[] = {
#define X(text, ...) { .name = text, __VA_ARGS__ },
	CONFIG_PRESETS(X)
#undef X
};

#define X(text, ...) text " "
static const char preset_words[] = CONFIG_PRESETS(X);
#undef X

struct parser {
	struct plan *plan;
	struct plan_error *error;
	struct word rest;        /* of the line */
	uint32_t guest_line;     /* where these were said, from 1; 0: not yet */
	uint32_t unlimited_line; /* limit_ms 0 */
};

/* At most this much of what the plan says is repeated in a message. */
#define QUOTE_MAX 40u

static void text_quote(struct text *text, struct word word)
{
	text_char(text, '\'');
	for (size_t i = 0; i < word.length && i < QUOTE_MAX; i++)
		text_char(text, word.at[i] > ' ' && word.at[i] <= '~' ? word.at[i] : '?');
	text_string(text, word.length > QUOTE_MAX ? "...'" : "'");
}

/* Messages: "what 'wrong'", then nothing, or "; valid: word …", or "; valid: min to max". */
static struct text message_begin(struct parser *parser, const char *what, struct word wrong)
{
	struct text message;

	text_init(&message, parser->error->message, PLAN_ERROR_SIZE);
	text_string(&message, what);
	if (wrong.at) {
		text_char(&message, ' ');
		text_quote(&message, wrong);
	}
	return message;
}

static bool fail(struct parser *parser, const char *what, struct word wrong)
{
	message_begin(parser, what, wrong);
	return false;
}

static bool fail_words(struct parser *parser, const char *what, struct word wrong,
		       const char *valid)
{
	struct text message = message_begin(parser, what, wrong);
	struct word rest = word_from(valid);
	struct word word = word_next(&rest);

	text_string(&message, "; valid:");
	for (; word.length; word = word_next(&rest)) {
		text_char(&message, ' ');
		text_bytes(&message, word.at, word.length);
	}
	return false;
}

static bool fail_range(struct parser *parser, struct word wrong, uint32_t min, uint32_t max)
{
	struct text message = message_begin(parser, "wrong number", wrong);

	text_string(&message, "; valid: ");
	text_u64(&message, min);
	text_string(&message, " to ");
	text_u64(&message, max);
	return false;
}

/* The next word, which must be one of a vocabulary. */
static bool parse_choice(struct parser *parser, const char *words, uint32_t *index)
{
	struct word word = word_next(&parser->rest);

	*index = words_find(words, word);
	if (word.length == 0)
		return fail_words(parser, "a word is missing", (struct word){ 0 }, words);
	if (*index == WORD_NOT_FOUND)
		return fail_words(parser, "unknown word", word, words);
	return true;
}

static bool digits_to_u32(struct word digits, uint32_t base, uint32_t *number)
{
	static const char values[] = "0123456789abcdef";
	uint64_t value = 0;

	for (size_t i = 0; i < digits.length; i++) {
		const char *at = memchr(values, digits.at[i], base);

		if (!at)
			return false;
		value = value * base + (uint64_t)(at - values);
		if (value > UINT32_MAX)
			return false;
	}
	*number = (uint32_t)value;
	return digits.length != 0;
}

/* Decimal, or hexadecimal behind 0x. */
static bool word_to_u32(struct word word, uint32_t *number)
{
	if (word.length > 2 && memcmp(word.at, "0x", 2) == 0)
		return digits_to_u32((struct word){ word.at + 2, word.length - 2 }, 16, number);
	return digits_to_u32(word, 10, number);
}

static bool is_name_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '-';
}

/* The next word, as a name: letters, digits, '_', '.' and '-'. The buffer gets NULs to its end. */
static bool parse_name(struct parser *parser, char *name, size_t size)
{
	struct word word = word_next(&parser->rest);

	if (word.length == 0)
		return fail(parser, "a name is missing", (struct word){ 0 });
	for (size_t i = 0; i < word.length; i++)
		if (!is_name_char(word.at[i]))
			return fail(parser, "not a name (A-Z a-z 0-9 _ . -):", word);
	if (word.length >= size)
		return fail(parser, "name longer than 23 characters:", word);
	memset(name, 0, size);
	memcpy(name, word.at, word.length);
	return true;
}

_Static_assert(PLAN_NAME_SIZE == 24 && CONFIG_NAME_SIZE == 24, "a message of parse_name says 23");

/* Loops of two instructions make the delays, so an odd count would never end; at EL2 two more
 * load the count. */
static bool is_delay(struct word name)
{
	return name.length >= 5 && memcmp(name.at, "delay", 5) == 0;
}

static bool parse_value(struct parser *parser, const struct option *option, struct word name,
			struct word word, uint32_t *value)
{
	struct word said = { word.at + name.length + 1, word.length - name.length - 1 };

	if (option->words) {
		*value = words_find(option->words, said);
		return *value != WORD_NOT_FOUND ||
		       fail_words(parser, "unknown value", word, option->words);
	}
	if (!word_to_u32(said, value) || *value < option->min || *value > option->max)
		return fail_range(parser, word, option->min, option->max);
	return !is_delay(name) || (*value % 2 == 0 && *value != 2) ||
	       fail(parser, "must be even, and not 2:", word);
}

/* The rest of the line, words like name=value, into the struct that has these options. */
static bool parse_options(struct parser *parser, const struct options *options, void *values)
{
	uint32_t seen = 0;
	struct word word;

	while ((word = word_next(&parser->rest)).length) {
		const char *equals = memchr(word.at, '=', word.length);
		struct word name = { word.at, equals ? (size_t)(equals - word.at) : word.length };
		uint32_t index = words_find(options->names, name);
		uint32_t value;

		if (index == WORD_NOT_FOUND)
			return fail_words(parser, options->unknown, word, options->names);
		if (!equals)
			return fail(parser, "not name=value:", word);
		if (seen & 1u << index)
			return fail(parser, "said twice:", word);
		if (!parse_value(parser, &options->option[index], name, word, &value))
			return false;
		memcpy((char *)values + options->option[index].offset, &value, sizeof(value));
		seen |= 1u << index;
	}
	return true;
}

static bool parse_name_line(struct parser *parser)
{
	return parse_name(parser, parser->plan->name, PLAN_NAME_SIZE);
}

static bool parse_platform(struct parser *parser)
{
	uint32_t index;

	if (!parse_choice(parser, platform_words, &index))
		return false;
	parser->plan->platform = (enum platform)index;
	return true;
}

/* The rest of the line, for people and for comparisons. */
static bool parse_machine(struct parser *parser)
{
	char *machine = parser->plan->machine;
	const char *end = parser->rest.at + parser->rest.length;
	const char *at = word_next(&parser->rest).at;
	size_t length = (size_t)(end - at);

	parser->rest.length = 0;
	if (length >= PLAN_MACHINE_SIZE)
		return fail(parser, "machine is longer than 511 characters", (struct word){ 0 });
	memset(machine, 0, PLAN_MACHINE_SIZE);
	memcpy(machine, at, length);
	return true;
}

_Static_assert(PLAN_MACHINE_SIZE == 512, "a message above says 511");

static bool parse_order(struct parser *parser)
{
	uint32_t index;

	if (!parse_choice(parser, ORDER_WORDS, &index))
		return false;
	parser->plan->order = (enum plan_order)index;
	return true;
}

static bool parse_limit(struct parser *parser)
{
	struct word word = word_next(&parser->rest);
	uint32_t *limit_ms = &parser->plan->limit_ms;

	if (!word_to_u32(word, limit_ms) || *limit_ms > LIMIT_MS_MAX)
		return fail_range(parser, word, 1, LIMIT_MS_MAX);
	parser->unlimited_line = *limit_ms ? 0 : parser->error->line;
	return true;
}

/* The preset said behind a configuration's name, or else the one of that name. */
static bool parse_preset(struct parser *parser, struct word name, struct run_config *config)
{
	struct word rest = parser->rest;
	struct word word = word_next(&rest);
	bool said = word.length && !memchr(word.at, '=', word.length);
	uint32_t index = words_find(preset_words, said ? word : name);

	if (index == WORD_NOT_FOUND && said)
		return fail_words(parser, "unknown preset", word, preset_words);
	if (index == WORD_NOT_FOUND)
		return fail_words(parser, "a preset is missing behind", name, preset_words);
	if (said)
		parser->rest = rest;
	*config = presets[index];
	return true;
}

/* Values that each mean something, but not together. */
static bool check_config(struct parser *parser, const struct run_config *config)
{
	bool off = config->stage2 == STAGE2_OFF;

	/* Without stage 2 the guest would reach the real distributor, the hypervisor's own. */
	if (off && config->irq == IRQ_TRAPPED)
		return fail(parser, "irq=trapped needs stage 2: stage2=off in config",
			    word_from(config->name));
	if (off && config->fill == FILL_LAZY)
		return fail(parser, "fill=lazy needs stage 2: stage2=off in config",
			    word_from(config->name));
	if (config->lrs == LRS_ALL &&
	    (config->irq != IRQ_TRAPPED || config->probes || config->stats || config->trace))
		return fail(parser,
			    "lrs=all needs irq=trapped, and goes without probes, stats and trace: "
			    "config",
			    word_from(config->name));
	/* Vector tables have the ones or the others. */
	if (config->probes && (config->stats || config->trace))
		return fail(parser, "probes=on goes without stats=on and trace=on: config",
			    word_from(config->name));
	if (config->events && config->cycles == CYCLES_OFF)
		return fail(parser, "events are counted beside cycles: cycles=off in config",
			    word_from(config->name));
	/* An interrupt that goes straight to EL1 would go to whichever VM has the core. */
	if (config->sched != SCHED_NULL && config->irq != IRQ_TRAPPED)
		return fail(parser, "a second VM (sched) needs irq=trapped: irq=direct in config",
			    word_from(config->name));
	/* What the hypervisor's timer is to signal for CNTP it must inject. */
	if (config->cntp == CNTP_TRAPPED && config->irq != IRQ_TRAPPED)
		return fail(parser, "cntp=trapped needs irq=trapped: irq=direct in config",
			    word_from(config->name));
	return true;
}

static bool parse_config(struct parser *parser)
{
	struct plan *plan = parser->plan;
	struct run_config *config = &plan->config[plan->config_count];
	char name[CONFIG_NAME_SIZE];

	if (plan->config_count == PLAN_CONFIG_MAX)
		return fail(parser, "too many configs, at most 16", (struct word){ 0 });
	if (!parse_name(parser, name, sizeof(name)))
		return false;
	for (uint32_t i = 0; i < plan->config_count; i++)
		if (strcmp(plan->config[i].name, name) == 0)
			return fail(parser, "there is already a config", word_from(name));
	if (!parse_preset(parser, word_from(name), config))
		return false;
	memcpy(config->name, name, sizeof(name));
	plan->config_count++;
	return parse_options(parser, &config_options, config) && check_config(parser, config);
}

static bool parse_bench(struct parser *parser)
{
	struct plan *plan = parser->plan;
	struct plan_bench *bench = &plan->bench[plan->bench_count];

	if (parser->guest_line)
		return fail(parser, "a plan has bench lines or a guest, not both",
			    (struct word){ 0 });
	if (plan->bench_count == PLAN_BENCH_MAX)
		return fail(parser, "too many benches, at most 32", (struct word){ 0 });
#define X(field, dflt, min, max) .field = (dflt),
	bench->params = (struct bench_params){ BENCH_PARAMS(X) };
#undef X
	plan->bench_count++;
	return parse_name(parser, bench->name, sizeof(bench->name)) &&
	       parse_options(parser, &bench_options, &bench->params);
}

_Static_assert(PLAN_CONFIG_MAX == 16 && PLAN_BENCH_MAX == 32, "messages above say 16 and 32");

/* --- a guest that is not our own --- */

#define SPACE_END 0x100000000ull /* of the intermediate physical addresses */
#define RAM_GRAIN 0x200000u
#define LOAD_GRAIN 0x1000u

static uint64_t ram_end(const struct plan_guest *guest)
{
	return (uint64_t)guest->ram + ((uint64_t)guest->ram_mib << 20);
}

static bool in_ram(const struct plan_guest *guest, uint32_t ipa)
{
	return ipa >= guest->ram && ipa < ram_end(guest);
}

static bool parse_guest(struct parser *parser)
{
	struct plan_guest *guest = &parser->plan->guest;
	const struct word none = { 0 };

	if (parser->guest_line)
		return fail(parser, "there is already a guest", none);
	if (parser->plan->bench_count)
		return fail(parser, "a plan has bench lines or a guest, not both", none);
#define X(field, dflt, min, max) .field = (dflt),
	*guest = (struct plan_guest){ PLAN_GUEST_FIELDS(X) };
#undef X
	parser->guest_line = parser->error->line;
	if (!parse_options(parser, &guest_options, guest))
		return false;
	if (guest->ram % RAM_GRAIN)
		return fail(parser, "ram is not a multiple of 2 MiB", none);
	return ram_end(guest) <= SPACE_END || fail(parser, "the RAM ends above 4 GiB", none);
}

/* Two ranges of the guest's addresses. */
static bool overlap(const struct plan_load *a, const struct plan_load *b)
{
	return a->ipa < (uint64_t)b->ipa + b->size && b->ipa < (uint64_t)a->ipa + a->size;
}

/* In the guest's RAM as a whole, or wholly outside; that is mapped, in pages. */
static bool check_place(struct parser *parser, const struct plan_load *load)
{
	const struct plan_guest *guest = &parser->plan->guest;
	const struct plan_load ram = { .ipa = guest->ram,
				       .size = (uint32_t)(ram_end(guest) - guest->ram) };
	const struct word none = { 0 };

	if ((uint64_t)load->ipa + load->size > SPACE_END)
		return fail(parser, "the load ends above 4 GiB", none);
	if (in_ram(guest, load->ipa))
		return (uint64_t)load->ipa + load->size <= ram_end(guest) ||
		       fail(parser, "the load ends behind the guest's RAM", none);
	if (overlap(load, &ram))
		return fail(parser, "the load reaches into the guest's RAM", none);
	return load->ipa % LOAD_GRAIN == 0 ||
	       fail(parser, "ipa of a load outside of RAM is not a multiple of 4 KiB", none);
}

static bool check_load(struct parser *parser, const struct plan_load *load)
{
	const struct plan_guest *guest = &parser->plan->guest;

	if (load->size == 0)
		return fail(parser, "a load's size is missing", (struct word){ 0 });
	if (load->store % LOAD_GRAIN)
		return fail(parser, "store is not a multiple of 4 KiB", (struct word){ 0 });
	if (!check_place(parser, load))
		return false;
	for (const struct plan_load *other = guest->load; other < load; other++)
		if (overlap(load, other))
			return fail(parser, "the load overlaps another", (struct word){ 0 });
	return true;
}

static bool parse_load(struct parser *parser)
{
	struct plan_guest *guest = &parser->plan->guest;
	struct plan_load *load = &guest->load[guest->load_count];

	if (!parser->guest_line)
		return fail(parser, "a load needs a guest line before it", (struct word){ 0 });
	if (guest->load_count == PLAN_LOAD_MAX)
		return fail(parser, "too many loads, at most 8", (struct word){ 0 });
	*load = (struct plan_load){ 0 };
	if (!parse_options(parser, &load_options, load) || !check_load(parser, load))
		return false;
	guest->load_count++;
	return true;
}

_Static_assert(PLAN_LOAD_MAX == 8, "a message above says 8");

/* An address that the guest finds something at when it starts. */
static bool is_there(const struct plan_guest *guest, uint32_t ipa)
{
	for (uint32_t i = 0; i < guest->load_count; i++)
		if (ipa - guest->load[i].ipa < guest->load[i].size)
			return true;
	return in_ram(guest, ipa);
}

/* What means something to our own guest alone. */
static bool check_guest_config(struct parser *parser, const struct run_config *config)
{
	if (config->probes)
		return fail(parser, "probes=on is for benchmarks: config", word_from(config->name));
	if (config->sched != SCHED_NULL)
		return fail(parser, "a second VM (sched) is for benchmarks: config",
			    word_from(config->name));
	return true;
}

static bool check_guest(struct parser *parser)
{
	const struct plan *plan = parser->plan;
	const struct plan_guest *guest = &plan->guest;
	const struct word none = { 0 };

	parser->error->line = parser->guest_line;
	if (guest->load_count == 0)
		return fail(parser, "the guest has no load line", none);
	if (guest->entry % 4 || !is_there(guest, guest->entry))
		return fail(parser, "entry is not in the guest's RAM or a load, or not aligned",
			    none);
	if (guest->dtb && !is_there(guest, guest->dtb))
		return fail(parser, "dtb is not in the guest's RAM or a load", none);
	for (uint32_t i = 0; i < plan->config_count; i++)
		if (!check_guest_config(parser, &plan->config[i]))
			return false;
	parser->plan->order = PLAN_ORDER_ONCE; /* nothing to compare */
	return true;
}

#define STATEMENT_WORDS "name platform machine order limit_ms config bench guest load"
static bool (*const statements[])(struct parser *) = {
	parse_name_line, parse_platform, parse_machine, parse_order, parse_limit,
	parse_config,    parse_bench,    parse_guest,   parse_load,
};

static bool is_control(char c)
{
	return ((uint8_t)c < ' ' && c != '\t' && c != '\r') || c == 0x7f;
}

static bool parse_line(struct parser *parser)
{
	uint32_t statement;
	struct word word = parser->rest;
	const char *comment = memchr(word.at, '#', word.length);

	for (size_t i = 0; i < word.length; i++)
		if (is_control(word.at[i]))
			return fail(parser, "control character", (struct word){ 0 });
	if (comment)
		parser->rest.length = (size_t)(comment - word.at);
	word = parser->rest;
	if (word_next(&word).length == 0)
		return true;
	if (!parse_choice(parser, STATEMENT_WORDS, &statement) || !statements[statement](parser))
		return false;
	word = word_next(&parser->rest);
	return word.length == 0 || fail(parser, "one word too many:", word);
}

static bool parse_lines(struct parser *parser, const char *text, const char *end)
{
	for (;;) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *line_end = newline ? newline : end;

		parser->rest = (struct word){ text, (size_t)(line_end - text) };
		if (!parse_line(parser))
			return false;
		if (!newline || newline + 1 == end)
			return true;
		text = newline + 1;
		parser->error->line++;
	}
}

static bool fail_unterminated(struct parser *parser, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		parser->error->line += text[i] == '\n';
	return fail(parser, "the text has no NUL at its end", (struct word){ 0 });
}

bool plan_parse(const char *text, size_t size, struct plan *plan, struct plan_error *error)
{
	struct parser parser = { .plan = plan, .error = error };
	const char *end = memchr(text, '\0', size);

	memset(plan, 0, sizeof(*plan));
	plan->limit_ms = LIMIT_MS_DEFAULT;
	*error = (struct plan_error){ .line = 1 };
	if (!end)
		return fail_unterminated(&parser, text, size);
	if (!parse_lines(&parser, text, end))
		return false;
	if (plan->config_count == 0)
		return fail(&parser, "the plan has no config line", (struct word){ 0 });
	if (parser.guest_line)
		return check_guest(&parser);
	if (plan->bench_count == 0)
		return fail(&parser, "the plan has no bench line", (struct word){ 0 });
	if (parser.unlimited_line) {
		error->line = parser.unlimited_line;
		return fail(&parser, "limit_ms 0 is for a guest, not for benchmarks",
			    (struct word){ 0 });
	}
	return true;
}

struct word plan_order_word(const struct plan *plan)
{
	return words_at(ORDER_WORDS, plan->order);
}

struct word plan_platform_word(const struct plan *plan)
{
	return words_at(platform_words, plan->platform);
}
