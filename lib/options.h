/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name=value options of the plan language, made from the tables in abi/: the axes of a run
 * configuration, the parameters of a benchmark, the memory of an unmodified guest. Every option is
 * a uint32_t of a struct.
 */
#pragma once

#include "abi/plan.h"
#include "lib/text.h"

struct option {
	const char *name;  /* NULL: the end of a list */
	const char *words; /* the valid ones, by value, with blanks between; NULL: a number */
	uint32_t min, max; /* of a number */
	size_t offset;     /* in the struct */
};

extern const struct option config_options[]; /* of a struct run_config */
extern const struct option bench_options[];  /* of a struct bench_params */
extern const struct option guest_options[];  /* of a struct plan_guest */
extern const struct option load_options[];   /* of a struct plan_load */
extern const struct option vm_options[];     /* of a struct plan_vm */

/* True: value is min to max. False: *why has "name value; valid: min to max". */
bool number_check(const char *name, uint32_t value, uint32_t min, uint32_t max, struct text *why);

/* The same for every option: a number in its range, an index of one of the words. */
bool options_check(const struct option *option, const void *values, struct text *why);

/* Append `"name":value` of every option with a ',' before each; a word has quotes. */
void options_json(const struct option *option, const void *values, struct text *text);

/* Append one configuration as the run record shows it: {"name":"native","stage2":"off",…}. */
void run_config_json(const struct run_config *config, struct text *text);
