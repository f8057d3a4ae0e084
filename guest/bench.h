/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A benchmark is one file in guest/bench/ that ends in BENCH(...). It takes samples (sample.h) and
 * reports them (report.h); docs/measuring.md says what its windows hold.
 */
#pragma once

#include <stdbool.h>

#include "guest/guest.h"

struct bench {
	const char *name; /* as a plan writes it */
	/* A reason why this benchmark means nothing in this configuration, or NULL. May be NULL. */
	const char *(*prepare)(const struct guest_run *run);
	/* To the end, all its records out. */
	void (*run)(const struct guest_run *run);
};

/* The registry: pointers, since compilers space structures in a section as they like. */
#define BENCH(object)                                                                              \
	static const struct bench *const object##_entry __attribute__((used, section("bench"))) =  \
		&(object)

/* Why no SMC means anything where run->smc_undefined. */
static const char smc_undefined_reason[] __attribute__((unused)) =
	"SMC is undefined: this machine was started without Secure state";

/* No hypervisor in the way of anything but the records: stage 2 off, no traps, GIC its own. */
static inline bool config_is_native(const struct run_config *config)
{
	return config->stage2 == STAGE2_OFF && config->irq == IRQ_DIRECT && !config->traps;
}
