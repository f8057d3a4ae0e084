/* SPDX-License-Identifier: Apache-2.0 */
/* Random sequences for the oracle. */
#pragma once

/* The tests of both GIC versions. STEPS in the environment: how many in all, in place of what
 * `make unit-test` does; SEED: where to begin, in place of 1. */
int vgic_random_tests(const char *name);
