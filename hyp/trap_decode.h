/* SPDX-License-Identifier: Apache-2.0 */
/* What the syndrome of a data abort says about the access, and how a loaded value reaches the
 * register: DDI 0487 D13.2.37 (ISS of a Data Abort), DDI 0406C B3.13.6. */
#pragma once

#include "arch/esr.h"
#include "arch/types.h"

struct abort_access {
	uint8_t size; /* bytes: 1, 2, 4, 8 */
	uint8_t reg; /* register number; 31 = zero register on armv8 */
	bool write;
	bool sign_extend;
	bool wide; /* armv8: the register is X, not W */
};

/* False where the syndrome does not describe one plain load or store: there is nothing to emulate
 * by (ISV = 0), or it is cache maintenance or a stage-1 walk. */
static inline bool abort_decode(uint32_t esr, struct abort_access *access)
{
	if (!(esr & DABT_ISV) || (esr & (DABT_CM | DABT_S1PTW)))
		return false;
	access->size = (uint8_t)(1u << DABT_SAS(esr));
	access->reg = DABT_SRT(esr);
	access->write = esr & DABT_WNR;
	access->sign_extend = esr & DABT_SSE;
	access->wide = esr & DABT_SF;
	return true;
}

/* The value of the register after a load of `value`. */
static inline uint64_t abort_load_value(const struct abort_access *access, uint64_t value)
{
	unsigned unused = 64u - 8u * access->size;

	value <<= unused;
	value = access->sign_extend ? (uint64_t)((int64_t)value >> unused) : value >> unused;
	return access->wide ? value : (uint32_t)value;
}
