/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle counter, PMCCNTR_EL0: 64 bits (DDI 0487 D7, D13.4). */
#pragma once

#include <stdbool.h>

#include "arch/barrier.h"
#include "arch/sysreg.h"

#define PMU_BITS 64

/* ID_AA64DFR0_EL1.PMUVer: 0: no PMU; 15: a PMU outside the architecture. */
static inline unsigned pmu_version(void)
{
	return (unsigned)(read_id_aa64dfr0_el1() >> 8 & 0xf);
}

static inline bool pmu_is_there(void)
{
	return pmu_version() != 0 && pmu_version() != 0xf;
}

/*
 * Count every cycle, at EL0, EL1 and EL2. PMCR.D, which would count only every 64th, and DP are 0.
 * A running counter neither stops nor restarts.
 */
static inline void pmu_start(void)
{
	const reg_t pmcr_e = 1, pmcr_lc = 1u << 6, filter_nsh = 1u << 27, cycles = 1u << 31;

	write_pmccfiltr_el0(filter_nsh);
	write_pmcr_el0(pmcr_e | pmcr_lc);
	write_pmcntenset_el0(cycles);
	isb();
}

/* No barrier: the caller orders the read. Differences are modulo 2^PMU_BITS. */
static inline __attribute__((always_inline)) reg_t pmu_cycles(void)
{
	return read_pmccntr_el0();
}
