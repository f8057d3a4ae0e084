/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errata of the core that concern EL2: translation, TLB maintenance, syndromes. MIDR of the boot
 * core decides which are present; the axis `errata` turns workarounds on. Each workaround names its
 * erratum in a comment.
 */
#pragma once

#include "abi/run_config.h"
#include "arch/errata.h"
#include "arch/types.h"

/* The workarounds of this step: all 0 where the core has no erratum, or with errata=ignored. */
struct errata_in_force {
	uint64_t empty_vttbr; /* 1319367: a stage 2 that translates nothing, with an unused VMID */
	bool tlbi_this_core;  /* 798181: TLB maintenance by each core, not by broadcast */
	bool thumb_store_stops; /* 766422: HSR.Rt is not trusted */
};

extern struct errata_in_force errata;

/* Emits the members `errata` and `errata_missing` of the run record. */
void errata_emit(void);

/* Sets `errata` for the next step. `empty_vttbr`: of a stage 2 that translates nothing. */
void errata_use(const struct run_config *config, uint64_t empty_vttbr);

static inline uint64_t errata_empty_vttbr(void)
{
	return ISA_SPECULATIVE_AT ? errata.empty_vttbr : 0;
}

static inline bool errata_tlbi_this_core(void)
{
	return ISA_TLBI_INCOMPLETE && errata.tlbi_this_core;
}
