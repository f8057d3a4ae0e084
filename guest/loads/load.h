/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A load is what a VM beside the measured one runs for ever: an entry of guest/loads/ that ends in
 * LOAD(...), and its word in the axis `beside` (abi/run_config.h).
 */
#pragma once

#include "abi/guest_run.h"

#define LOAD_PIECE 0x1000u    /* bytes */
#define LOAD_MEMORY 0xc00000u /* bytes that a load works on, however much its VM has */

struct load {
	const char *beside;                         /* the axis' word */
	void (*begin)(const struct guest_run *run); /* interrupts are masked; may be NULL */
	/* Short, so that a count of rounds says that the load ran. At `piece` is the next piece of
	 * the VM's memory. */
	void (*round)(uintptr_t piece);
	/* The same of a control VM. */
	void (*control_begin)(const struct guest_run *run);
	void (*control_round)(uintptr_t piece);
};

/* The registry: pointers, as in guest/measure/bench.h. */
#define LOAD(object)                                                                               \
	static const struct load *const object##_entry __attribute__((used, section("load"))) =    \
		&(object)

/* Runs the load that run->config.beside says, and counts its rounds for EL2. */
_Noreturn void load_run(const struct guest_run *run);
