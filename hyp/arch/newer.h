/* SPDX-License-Identifier: Apache-2.0 */
/* What a core has beyond the oldest of its isa. */
#pragma once

#include "arch/types.h"

extern reg_t newer_hcr, newer_mdcr; /* bits for a guest of which such accesses trap */

reg_t newer_scr(void); /* ARMv8: SCR_EL3 lets EL2 have what follows; MPAM3_EL3 likewise */
void newer_init(void); /* each core; sets these two, and what newer cores alone have */
