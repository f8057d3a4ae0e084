/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errata of the core that touch what EL2 does: translation, TLB maintenance, syndromes. Which ones
 * a core has MIDR says, once; what is done against them is the axis `errata`. The table is in
 * errata.c, each workaround stands where it acts and names its erratum there.
 */
#pragma once

#include "abi/run_config.h"
#include "arch/errata.h"
#include "arch/types.h"

/* What this step does against errata: all 0 where the core has none, or with errata=ignored. */
struct errata_in_force {
	uint64_t empty_vttbr;   /* 1319367: a stage 2 that translates nothing, VMID of nobody */
	bool tlbi_this_core;    /* 798181: TLB maintenance is not left to a broadcast */
	bool thumb_store_stops; /* 766422: HSR.Rt is not believed */
};

extern struct errata_in_force errata;

/* Reads the core's identification: before the others. */
void errata_detect(void);

/* The members `errata` and `errata_missing` of the run record. */
void errata_emit(void);

/* For the step that begins. `empty_vttbr`: of a stage 2 that translates nothing. */
void errata_use(const struct run_config *config, uint64_t empty_vttbr);

static inline uint64_t errata_empty_vttbr(void)
{
	return ISA_SPECULATIVE_AT ? errata.empty_vttbr : 0;
}

static inline bool errata_tlbi_this_core(void)
{
	return ISA_TLBI_INCOMPLETE && errata.tlbi_this_core;
}
