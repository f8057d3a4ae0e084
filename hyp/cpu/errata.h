/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errata of the core that concern EL2: translation, TLB maintenance, syndromes. MIDR of the boot
 * core decides which errata are present; the axis `errata` turns workarounds on. The comment at
 * each workaround names its erratum.
 */
#pragma once

#include "abi/run_config.h"
#include "arch/errata.h"
#include "arch/types.h"

/* The workarounds of this step: all 0 if the core has no erratum, and with errata=ignored. */
struct errata_in_force {
	uint64_t empty_vttbr; /* 1319367: an empty stage 2, with an unused VMID */
	bool tlbi_this_core; /* 798181: each core does its own TLB maintenance, without broadcast */
	bool thumb_store_stops; /* 766422: EL2 does not trust HSR.Rt */
};

extern struct errata_in_force errata;

/* Emit the members `errata` and `errata_missing` of the run record. `firmware`: some firmware is
 * below EL2, and EL2 does not know which errata it handles. */
void errata_emit(bool firmware);

/* Set `errata` for the next step. `empty_vttbr` is VTTBR of an empty stage 2. */
void errata_use(const struct run_config *config, uint64_t empty_vttbr);

static inline uint64_t errata_empty_vttbr(void)
{
	return ISA_SPECULATIVE_AT ? errata.empty_vttbr : 0;
}

static inline bool errata_tlbi_this_core(void)
{
	return ISA_TLBI_INCOMPLETE && errata.tlbi_this_core;
}
