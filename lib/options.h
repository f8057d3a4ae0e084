/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name=value options of the plan language, made from the tables in abi/: the axes of a run
 * configuration and the parameters of a benchmark. Every option is a uint32_t of a struct.
 */
#pragma once

#include "abi/plan.h"
#include "lib/text.h"
#include "lib/tokens.h"

struct option {
	const char *words; /* the valid ones, by value; NULL: a number */
	uint32_t min, max; /* of a number */
	size_t offset;     /* in its struct */
};

struct options {
	const char *names;           /* a vocabulary */
	const struct option *option; /* by the index of the name */
};

extern const struct options config_options; /* of a struct run_config */
extern const struct options bench_options;  /* of a struct bench_params */
extern const struct options guest_options;  /* of a struct plan_guest */
extern const struct options load_options;   /* of a struct plan_load */

/* True: value is min to max. False: *why has "name value; valid: min to max". */
bool number_check(struct token name, uint32_t value, uint32_t min, uint32_t max, struct text *why);

/* The same of every option: a number in its range, an index of one of the words. */
bool options_check(const struct options *options, const void *values, struct text *why);

/* Appends `"name":value` of every option with a ',' before each; a word has quotes. */
void options_json(const struct options *options, const void *values, struct text *text);

/* Appends one configuration as the run record shows it: {"name":"native","stage2":"off",…}. */
void run_config_json(const struct run_config *config, struct text *text);
