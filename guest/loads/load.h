/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A load is an endless activity of a VM beside the measured VM. A load is one entry of guest/loads/
 * that ends in LOAD(...), and one word of the axis `beside` (abi/run_config.h).
 */
#pragma once

#include "abi/guest_run.h"

#define LOAD_PIECE 0x1000u    /* bytes */
#define LOAD_MEMORY 0xc00000u /* bytes that a load works on, however much RAM its VM has */

struct load {
	const char *beside;                         /* the word of the axis */
	void (*begin)(const struct guest_run *run); /* runs with interrupts masked; may be NULL */
	/* Do a short piece of work, so that the count of rounds proves that the load ran. `piece`
	 * is the next piece of the VM's memory. */
	void (*round)(uintptr_t piece);
	/* Begin and round of the control VM. */
	void (*control_begin)(const struct guest_run *run);
	void (*control_round)(uintptr_t piece);
};

/* The registry has pointers, as in guest/measure/bench.h. */
#define LOAD(object)                                                                               \
	static const struct load *const object##_entry __attribute__((used, section("load"))) =    \
		&(object)

/* Run the load that run->config.beside names, and count its rounds for EL2. */
_Noreturn void load_run(const struct guest_run *run);
