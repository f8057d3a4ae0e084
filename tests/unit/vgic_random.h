/* SPDX-License-Identifier: Apache-2.0 */
/* Random acts of a guest on its GIC, each compared with what the architecture says of it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct random_run {
	uint64_t seed;
	unsigned steps;
	unsigned lr_count;
	bool link_hw;
	bool split_eoi;
	void (*sabotage)(unsigned step); /* after each step; NULL: none */
};

/* NULL when all was right, else what was wrong, with the seed and the step. */
const char *vgic_random(const struct random_run *run);

/* The tests of both GIC versions. */
int vgic_random_tests(const char *name);
