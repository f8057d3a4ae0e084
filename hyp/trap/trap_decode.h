/* SPDX-License-Identifier: Apache-2.0 */
/* The access by the syndrome of a data abort, and the value of the register after a load: DDI 0487
 * D13.2.37 (ISS of a Data Abort), DDI 0406C B3.13.6. */
#pragma once

#include "arch/esr.h"
#include "arch/types.h"

/* Stage 2 does not map the IPA, as for every emulated device. */
static inline bool abort_is_unmapped(uint32_t esr)
{
	return FSC_TYPE(ABT_FSC(esr)) == FSC_TRANSLATION;
}

/* Stage 2 maps the IPA, but not for this access: a store to a read-only page. */
static inline bool abort_is_protected(uint32_t esr)
{
	return FSC_TYPE(ABT_FSC(esr)) == FSC_PERMISSION;
}

/*
 * The fault status that EL1 gets for an access that stage 2 stopped: an external abort, or an
 * alignment fault of Device memory. For a stage-1 walk the status reports level 1: the syndrome has
 * the level of stage 2.
 */
static inline uint32_t abort_guest_fsc(uint32_t esr)
{
	if (ABT_FSC(esr) == FSC_ALIGNMENT)
		return FSC_ALIGNMENT;
	return esr & DABT_S1PTW ? FSC_EXTERNAL_WALK | 1 : FSC_EXTERNAL;
}

/* An unmapped IPA, and the syndrome describes one load or store (ISV), neither cache maintenance
 * nor a stage-1 walk: the access can be emulated. */
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

/* A store of a word, or a load that zero-extends a word. */
static inline bool abort_is_word(uint32_t esr)
{
	return (esr & (DABT_SAS_MASK | DABT_SSE)) == DABT_SAS_WORD;
}

/* Bits of a register that the access leaves out. */
static inline unsigned abort_unused_bits(uint32_t esr)
{
	return -8u * abort_size(esr) & (8 * sizeof(reg_t) - 1);
}

/* The value that a store writes: the low bytes of the register. */
static inline reg_t abort_store_value(uint32_t esr, reg_t value)
{
	unsigned unused = abort_unused_bits(esr);

	return value << unused >> unused;
}

/* The register after a load of `value`: zero- or sign-extended to its width. */
static inline reg_t abort_load_value(uint32_t esr, reg_t value)
{
	unsigned unused = abort_unused_bits(esr);
	reg_t extended = value << unused;

	if (__builtin_expect(!(esr & DABT_SSE), 1))
		return extended >> unused;
	extended = (reg_t)((intptr_t)extended >> unused);
	return esr & DABT_SF ? extended : (uint32_t)extended;
}
