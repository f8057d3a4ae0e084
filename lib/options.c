/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/options.h"

#include <string.h>

const struct option config_options[] = {
#define X(field, words) { #field, words, 0, 0, offsetof(struct run_config, field) },
	CONFIG_AXES(X)
#undef X
#define X(field, max) { #field, NULL, 0, max, offsetof(struct run_config, field) },
		CONFIG_NUMBERS(X)
#undef X
			{ NULL }
};

#define NUMBER(type, field, min, max) { #field, NULL, min, max, offsetof(struct type, field) },
#define X(field, dflt, min, max) NUMBER(bench_params, field, min, max)
const struct option bench_options[] = { BENCH_PARAMS(X){ NULL } };
#undef X
#define X(field, dflt, min, max) NUMBER(plan_guest, field, min, max)
const struct option guest_options[] = { PLAN_GUEST_FIELDS(X){ NULL } };
#undef X
#define X(field, dflt, min, max) NUMBER(plan_load, field, min, max)
const struct option load_options[] = { PLAN_LOAD_FIELDS(X){ NULL } };
#undef X
#define X(field, dflt, min, max) NUMBER(plan_vm, field, min, max)
const struct option vm_options[] = { PLAN_VM_FIELDS(X){ NULL } };
#undef X

bool number_check(const char *name, uint32_t value, uint32_t min, uint32_t max, struct text *why)
{
	if (value >= min && value <= max)
		return true;
	text_format(why, "%s %ju; valid: %ju", name, (uintmax_t)value, (uintmax_t)min);
	if (min != max)
		text_format(why, " to %ju", (uintmax_t)max);
	return false;
}

/* A list of words has one blank between two of them. The word after the last one is empty. */
static const char *next_word(const char *word)
{
	while (*word && *word++ != ' ')
		;
	return word;
}

static uint32_t word_count(const char *words)
{
	uint32_t count = 0;

	for (; *words; words = next_word(words))
		count++;
	return count;
}

static uint32_t option_value(const struct option *option, const void *values)
{
	uint32_t value;

	memcpy(&value, (const char *)values + option->offset, sizeof(value));
	return value;
}

bool options_check(const struct option *option, const void *values, struct text *why)
{
	for (; option->name; option++) {
		uint32_t max = option->words ? word_count(option->words) - 1 : option->max;

		if (!number_check(option->name, option_value(option, values), option->min, max,
				  why))
			return false;
	}
	return true;
}

static void option_json(const struct option *option, const void *values, struct text *text)
{
	uint32_t value = option_value(option, values);
	const char *word = option->words, *end;

	if (!word) {
		text_u64(text, value);
		return;
	}
	while (value--)
		word = next_word(word);
	end = next_word(word);
	text_json_bytes(text, word, (size_t)(end - word) - (*end != '\0'));
}

void options_json(const struct option *option, const void *values, struct text *text)
{
	for (; option->name; option++) {
		text_format(text, ",\"%s\":", option->name);
		option_json(option, values, text);
	}
}

void run_config_json(const struct run_config *config, struct text *text)
{
	text_string(text, "{\"name\":");
	text_json_string(text, config->name);
	options_json(config_options, config, text);
	text_char(text, '}');
}
