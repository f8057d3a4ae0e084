/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/run_config.h"

/* A list of words has one blank between two of them. The word after the last one is empty. */
static const char *next_word(const char *word)
{
	while (*word && *word++ != ' ')
		;
	return word;
}

static void name_json(struct text *text, const char *name)
{
	text_char(text, ',');
	text_json_string(text, name);
	text_char(text, ':');
}

static void word_json(struct text *text, const char *words, uint32_t value)
{
	const char *end;

	while (value-- && *words)
		words = next_word(words);
	end = next_word(words);
	text_json_bytes(text, words, (size_t)(end - words) - (*end != '\0'));
}

void run_config_json(const struct run_config *config, struct text *text)
{
	text_string(text, "{\"name\":");
	text_json_string(text, config->name);
#define X(field, words)                                                                            \
	name_json(text, #field);                                                                   \
	word_json(text, words, config->field);
	CONFIG_AXES(X)
#undef X
#define X(field, max)                                                                              \
	name_json(text, #field);                                                                   \
	text_u64(text, config->field);
	CONFIG_NUMBERS(X)
#undef X
	text_char(text, '}');
}
