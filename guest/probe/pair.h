/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two VMs on one core, a probe in each: pair=a and pair=b. Each stores CNTPCT, one clock for both,
 * and prints the stamps; the host pairs them. The VMs share no memory, so they start each phase at
 * a count of CNTPCT that the argument `at_ms` gives to both.
 */
#pragma once

#include "guest/probe/interrupts.h"

#define PAIR_SAMPLES 200u /* samples of each phase, without an argument */

enum pair_role { PAIR_NONE, PAIR_A, PAIR_B };

/* Return the role from the argument `pair`. The probe's lines have the role from then on. */
enum pair_role pair_role(const struct machine *machine);

void pair_run(const struct probe_run *run, enum pair_role role);
