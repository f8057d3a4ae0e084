/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A benchmark is one file in guest/bench/ that ends in BENCH(...). The file takes samples
 * (sample.h) and reports them (report.h). docs/reference/benchmarks.md describes its windows.
 */
#pragma once

#include <stdbool.h>

#include "abi/guest_run.h"
#include "abi/hypercall.h"

struct bench {
	const char *name; /* the name in a scenario */
	/*
	 * Return why this benchmark has no meaning in this configuration, or NULL. The pointer may
	 * be NULL.
	 */
	const char *(*prepare)(const struct guest_run *run);
	/* Run to the end and emit all records. */
	void (*run)(const struct guest_run *run);
};

/* The registry has pointers, because compilers may pad structures in a section differently. */
#define BENCH(object)                                                                              \
	static const struct bench *const object##_entry __attribute__((used, section("bench"))) =  \
		&(object)

/* The reason to skip SMC benchmarks if run->smc_undefined is set. */
static const char smc_undefined_reason[] __attribute__((unused)) =
	"SMC is undefined: this machine was started without Secure state";

/*
 * Return whether the hypervisor does nothing but records: stage 2 off, no traps, direct interrupts.
 */
static inline bool config_is_native(const struct run_config *config)
{
	return config->stage2 == STAGE2_OFF && config->irq == IRQ_DIRECT && !config->traps;
}
