/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vCPUs beside vCPU 0: from secondary_start() on each stamps the counter for ever, so that its
 * last stamp before a pause and its first one after it are known to within a turn of that loop.
 * Interrupts are masked there. vCPU 0 alone runs benchmarks.
 */
#pragma once

#define SECONDARY_STACK_SHIFT 9

#ifndef __ASSEMBLER__
#include "abi/guest_run.h"

/* The low 32 bits of CNTPCT. A cache line of each vCPU. */
struct vcpu_stamps {
	volatile uint32_t last; /* the newest */
	volatile uint32_t
		first;          /* after probe_stamps.issued was written; the measured VM's alone */
	volatile uint32_t seen; /* that value of it */
} __attribute__((aligned(64)));

/* One for each vCPU: in the window of this VM's link (kind=doorbell), which the other VM has, too,
 * or, without one, in this VM alone. */
struct vcpu_stamps *secondary_window(const struct guest_run *run);

/* Starts the other vCPUs, which stamp from `stamps[1]` on, and waits for their first. At most once
 * a life. Needs irq=trapped. */
void secondary_start(const struct guest_run *run, struct vcpu_stamps *stamps);
#endif
