/* SPDX-License-Identifier: Apache-2.0 */
/* TLB maintenance of stage 1: stage 2 is on, so HCR_EL2.FB sends it to every core. */
#include "arch/tlb.h"
#include "guest/loads/load.h"

static void load_tlbi_round(uintptr_t piece)
{
	(void)*(volatile uint32_t *)piece;
	tlbi_el1_all();
}

static const struct load load_tlbi = { .beside = "load_tlbi", .round = load_tlbi_round };
LOAD(load_tlbi);
