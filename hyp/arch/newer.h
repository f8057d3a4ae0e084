/* SPDX-License-Identifier: Apache-2.0 */
/* Additions that a newer core has beyond the oldest of its isa. */
#pragma once

#include "arch/types.h"

extern reg_t newer_hcr, newer_mdcr; /* bits of HCR and MDCR that trap these additions */

reg_t newer_scr(void); /* ARMv8: bits of SCR_EL3 that grant EL2 the additions; clears MPAM3_EL3 */
void newer_init(void); /* on each core; sets both variables and the registers of newer cores */
