/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of the fake TLB to the rest of the fake machine. */
#pragma once

#include <stdint.h>

void fake_tlb_reset(void);

/* Tables become visible: cache every reachable entry. */
void fake_tlb_observe(void);

/* Set the value of VTTBR_EL2 that is in effect from now on. */
void fake_tlb_vttbr(uint64_t vttbr);
