/* SPDX-License-Identifier: Apache-2.0 */
/* What the syndrome of a data abort says about the access, and how a loaded value reaches the
 * register: DDI 0487 D13.2.37 (ISS of a Data Abort), DDI 0406C B3.13.6. */
#pragma once

#include "arch/esr.h"
#include "arch/types.h"

/* Nothing is mapped at that IPA: what an emulated device looks like to the hardware. */
static inline bool abort_is_unmapped(uint32_t esr)
{
	return FSC_TYPE(ABT_FSC(esr)) == FSC_TRANSLATION;
}

/* It is mapped, but not for such an access: a store to what is mapped for reading. */
static inline bool abort_is_protected(uint32_t esr)
{
	return FSC_TYPE(ABT_FSC(esr)) == FSC_PERMISSION;
}

/* The syndrome describes one load or store (ISV), and it is neither cache maintenance nor a
 * stage-1 walk: there is something to emulate by. */
static inline bool abort_is_plain_access(uint32_t esr)
{
	return (esr & (DABT_ISV | DABT_CM | DABT_S1PTW)) == DABT_ISV;
}

/*
 * The fault status that EL1 gets for an access that stage 2 stopped: bare hardware has nothing
 * there, or Device memory that the access is not aligned for. The level of a stage-1 walk is not in
 * the syndrome, which has stage 2's: level 1 is reported.
 */
static inline uint32_t abort_guest_fsc(uint32_t esr)
{
	if (ABT_FSC(esr) == FSC_ALIGNMENT)
		return FSC_ALIGNMENT;
	return esr & DABT_S1PTW ? FSC_EXTERNAL_WALK | 1 : FSC_EXTERNAL;
}

/* Both: an access to what stage 2 does not map, that the syndrome describes. */
static inline bool abort_is_emulated(uint32_t esr)
{
	return (esr & (DABT_ISV | DABT_CM | DABT_S1PTW | FSC_TYPE(~0u))) ==
	       (DABT_ISV | FSC_TRANSLATION);
}

/* Bytes of the access: 1, 2, 4, 8. */
static inline unsigned abort_size(uint32_t esr)
{
	return 1u << DABT_SAS(esr);
}

/* What a store of a register writes: its low bytes. */
static inline uint64_t abort_store_value(uint32_t esr, uint64_t value)
{
	unsigned unused = -8u * abort_size(esr) & 63;

	return value << unused >> unused;
}

/* What the register holds after a load of `value`: zero- or sign-extended to its width. */
static inline uint64_t abort_load_value(uint32_t esr, uint64_t value)
{
	unsigned unused = -8u * abort_size(esr) & 63;

	value <<= unused;
	if (__builtin_expect(!(esr & DABT_SSE), 1))
		return value >> unused;
	value = (uint64_t)((int64_t)value >> unused);
	return esr & DABT_SF ? value : (uint32_t)value;
}
