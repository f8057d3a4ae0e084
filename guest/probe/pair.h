/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two VMs on one core, a probe in each: pair=a and pair=b. Each stores CNTPCT, one clock for
 * both, and prints the stamps; the host pairs them. The VMs share no memory, so they start each
 * phase at a count of CNTPCT, which the argument `at_ms` gives to both.
 */
#pragma once

#include "guest/probe/interrupts.h"

#define PAIR_SAMPLES 200u /* of each phase, where no argument has the number */

enum pair_role { PAIR_NONE, PAIR_A, PAIR_B };

/* The role of the argument `pair`; the probe's lines have it from then on. */
enum pair_role pair_role(const struct machine *machine);

void pair_run(const struct probe_run *run, enum pair_role role);
