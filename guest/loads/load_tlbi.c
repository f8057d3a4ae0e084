/* SPDX-License-Identifier: Apache-2.0 */
/* A load of stage-1 TLB maintenance. Stage 2 is on, so HCR_EL2.FB broadcasts it to every core. */
#include "arch/tlb.h"
#include "guest/loads/load.h"

static void load_tlbi_round(uintptr_t piece)
{
	(void)*(volatile uint32_t *)piece;
	tlbi_el1_all();
}

static const struct load load_tlbi = { .beside = "load_tlbi", .round = load_tlbi_round };
LOAD(load_tlbi);
