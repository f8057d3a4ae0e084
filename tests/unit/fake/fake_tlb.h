/* SPDX-License-Identifier: Apache-2.0 */
/* What the rest of the fake machine asks of its TLB. */
#pragma once

#include <stdint.h>

void fake_tlb_reset(void);

/* Tables become visible: caches what can be reached. */
void fake_tlb_observe(void);

/* VTTBR_EL2 as it is in effect from now on. */
void fake_tlb_vttbr(uint64_t vttbr);
