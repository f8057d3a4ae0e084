/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/options.h"

#include <string.h>

static const struct option config_option[] = {
#define X(field, words) { words, 0, 0, offsetof(struct run_config, field) },
	CONFIG_AXES(X)
#undef X
#define X(field, max) { NULL, 0, max, offsetof(struct run_config, field) },
		CONFIG_NUMBERS(X)
#undef X
};

static const struct option bench_option[] = {
#define X(field, dflt, min, max) { NULL, min, max, offsetof(struct bench_params, field) },
	BENCH_PARAMS(X)
#undef X
};

static const struct option guest_option[] = {
#define X(field, dflt, min, max) { NULL, min, max, offsetof(struct plan_guest, field) },
	PLAN_GUEST_FIELDS(X)
#undef X
};

static const struct option load_option[] = {
#define X(field, dflt, min, max) { NULL, min, max, offsetof(struct plan_load, field) },
	PLAN_LOAD_FIELDS(X)
#undef X
};

#define X(field, ...) #field " "
const struct options config_options = { CONFIG_AXES(X) CONFIG_NUMBERS(X), config_option };
const struct options bench_options = { BENCH_PARAMS(X), bench_option };
const struct options guest_options = { PLAN_GUEST_FIELDS(X), guest_option };
const struct options load_options = { PLAN_LOAD_FIELDS(X), load_option };
#undef X

bool number_check(struct token name, uint32_t value, uint32_t min, uint32_t max, struct text *why)
{
	if (value >= min && value <= max)
		return true;
	text_bytes(why, name.at, name.length);
	text_char(why, ' ');
	text_u64(why, value);
	text_string(why, "; valid: ");
	text_u64(why, min);
	if (min == max)
		return false;
	text_string(why, " to ");
	text_u64(why, max);
	return false;
}

static uint32_t option_value(const struct option *option, const void *values)
{
	uint32_t value;

	memcpy(&value, (const char *)values + option->offset, sizeof(value));
	return value;
}

bool options_check(const struct options *options, const void *values, struct text *why)
{
	struct token rest = token_from(options->names);
	struct token name = token_next(&rest);

	for (const struct option *option = options->option; name.length; option++) {
		uint32_t max = option->words ? token_count(option->words) - 1 : option->max;

		if (!number_check(name, option_value(option, values), option->min, max, why))
			return false;
		name = token_next(&rest);
	}
	return true;
}

static void option_json(const struct option *option, const void *values, struct text *text)
{
	uint32_t value = option_value(option, values);
	struct token token;

	if (!option->words) {
		text_u64(text, value);
		return;
	}
	token = token_at(option->words, value);
	text_json_bytes(text, token.at, token.length);
}

void options_json(const struct options *options, const void *values, struct text *text)
{
	struct token rest = token_from(options->names);
	struct token name = token_next(&rest);

	for (uint32_t i = 0; name.length; i++, name = token_next(&rest)) {
		text_char(text, ',');
		text_json_bytes(text, name.at, name.length);
		text_char(text, ':');
		option_json(&options->option[i], values, text);
	}
}

void run_config_json(const struct run_config *config, struct text *text)
{
	text_string(text, "{\"name\":");
	text_json_string(text, config->name);
	options_json(&config_options, config, text);
	text_char(text, '}');
}
