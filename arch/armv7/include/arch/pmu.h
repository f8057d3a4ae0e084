/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle counter, PMCCNTR: 32 bits (DDI 0406C C12, B4.1.113 ff.; Cortex-A15 TRM chapter 11). */
#pragma once

#include <stdbool.h>

#include "arch/barrier.h"
#include "arch/sysreg.h"

#define PMU_BITS 32

/* ID_DFR0 bits 27:24: 0: no PMU; 15: a PMU outside the architecture. */
static inline unsigned pmu_version(void)
{
	return (unsigned)(read_id_dfr0_el1() >> 24 & 0xf);
}

static inline bool pmu_is_there(void)
{
	return pmu_version() != 0 && pmu_version() != 0xf;
}

/*
 * Count every cycle, at PL0, PL1 and in HYP mode. PMCR.D, which would count only every 64th, and DP
 * are 0. A running counter neither stops nor restarts. This function uses no register whose
 * existence depends on the PMU's size (PMCEID0).
 */
static inline void pmu_start(void)
{
	const reg_t pmcr_e = 1, select_cycles = 31, filter_nsh = 1u << 27, cycles = 1u << 31;

	write_pmselr_el0(select_cycles);
	isb();
	write_pmxevtyper_el0(filter_nsh);
	write_pmcr_el0(pmcr_e);
	write_pmcntenset_el0(cycles);
	isb();
}

/* No barrier: the caller orders the read. Differences are modulo 2^PMU_BITS. */
static inline __attribute__((always_inline)) reg_t pmu_cycles(void)
{
	return read_pmccntr_el0();
}
