/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle counter, PMCCNTR (DDI 0487 D7, D13.4; DDI 0406C C12, B4.1.113 ff.). arch/control.h
 * defines PMU_BITS, PMU_VERSION and PMCR_LC. */
#pragma once

#include "arch/barrier.h"
#include "arch/control.h"
#include "arch/sysreg.h"

#define PMSEL_CYCLES 31u

/* Return the PMU's version. 0: no PMU; 15: a PMU outside the architecture. */
static inline unsigned pmu_version(void)
{
	return (unsigned)PMU_VERSION;
}

static inline bool pmu_is_there(void)
{
	return pmu_version() != 0 && pmu_version() != 0xf;
}

/*
 * Count every cycle, at EL0, EL1 and EL2. PMCR.D, which would count only every 64th cycle, and DP
 * are 0. A running counter neither stops nor restarts. This function uses no register whose
 * existence depends on the PMU's size (PMCEID0 in ARMv7).
 */
static inline void pmu_start(void)
{
	const reg_t pmcr_e = 1, filter_nsh = 1u << 27, cycles = 1u << 31;

	write_pmselr_el0(PMSEL_CYCLES);
	isb();
	write_pmxevtyper_el0(filter_nsh);
	write_pmcr_el0(pmcr_e | PMCR_LC);
	write_pmcntenset_el0(cycles);
	isb();
}

/*
 * Read the counter without a barrier: the caller orders the read. Differences are modulo
 * 2^PMU_BITS.
 */
static inline __attribute__((always_inline)) reg_t pmu_cycles(void)
{
	return read_pmccntr_el0();
}
