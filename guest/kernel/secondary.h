/* SPDX-License-Identifier: Apache-2.0 */
/* The vCPUs other than vCPU 0. After secondary_start() each of them stamps the counter in an
 * endless loop, with interrupts masked. The last stamp before a pause and the first stamp after it
 * are exact to within one turn of the loop. After secondary_run() vCPU 1 runs a function of the
 * benchmark. Only vCPU 0 emits records. */
#pragma once

#define SECONDARY_STACK_SHIFT 9

#ifndef __ASSEMBLER__
#include "abi/guest_run.h"

/* Stamps are the low 32 bits of CNTPCT. Each vCPU has a cache line of its own. */
struct vcpu_stamps {
	volatile uint32_t last;  /* the newest stamp */
	volatile uint32_t first; /* first after probe_stamps.issued changed, in the measured VM */
	volatile uint32_t seen;  /* the value of probe_stamps.issued that `first` belongs to */
} __attribute__((aligned(64)));

/* Return the stamps, one struct for each vCPU. With a link of kind=doorbell they lie in its window,
 * which the other VM shares; without a link only this VM has them. */
struct vcpu_stamps *secondary_window(const struct guest_run *run);

/* Start the other vCPUs, which store their stamps from `stamps[1]` on, and wait for the first stamp
 * of each. Call at most once per start of the guest. Needs irq=trapped. */
void secondary_start(const struct guest_run *run, struct vcpu_stamps *stamps);

/* Start vCPU 1, which calls `work` again and again, with interrupts masked and on a stack of 512
 * bytes. Call at most once per start of the guest. Needs irq=trapped. */
void secondary_run(const struct guest_run *run, void (*work)(void));
#endif
