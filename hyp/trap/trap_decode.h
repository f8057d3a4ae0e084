/* SPDX-License-Identifier: Apache-2.0 */
/* The access that the syndrome of a data abort describes, and the register's value after a load:
 * DDI 0487 D13.2.37 (ISS of a Data Abort), DDI 0406C B3.13.6. */
#pragma once

#include "arch/esr.h"
#include "arch/types.h"

/* Return whether stage 2 does not map the IPA, as for every emulated device. */
static inline bool abort_is_unmapped(uint32_t esr)
{
	return FSC_TYPE(ABT_FSC(esr)) == FSC_TRANSLATION;
}

/* Return whether stage 2 maps the IPA, but not for this access: a store to a read-only page. */
static inline bool abort_is_protected(uint32_t esr)
{
	return FSC_TYPE(ABT_FSC(esr)) == FSC_PERMISSION;
}

/*
 * Return the fault status for EL1 of an access that stage 2 stopped: an external abort, or an
 * alignment fault of Device memory. For a stage-1 walk the status reports level 1, since the
 * syndrome has the level of stage 2.
 */
static inline uint32_t abort_guest_fsc(uint32_t esr)
{
	if (ABT_FSC(esr) == FSC_ALIGNMENT)
		return FSC_ALIGNMENT;
	return esr & DABT_S1PTW ? FSC_EXTERNAL_WALK | 1 : FSC_EXTERNAL;
}

/* Return whether the access can be emulated: the IPA is not mapped, and the syndrome describes one
 * load or store (ISV), neither cache maintenance nor a stage-1 walk. */
static inline bool abort_is_emulated(uint32_t esr)
{
	return (esr & (DABT_ISV | DABT_CM | DABT_S1PTW | FSC_TYPE(~0u))) ==
	       (DABT_ISV | FSC_TRANSLATION);
}

/* Return the size of the access in bytes: 1, 2, 4, 8. */
static inline unsigned abort_size(uint32_t esr)
{
	return 1u << DABT_SAS(esr);
}

/* Return whether the access stores a word, or loads a word with zero extension. */
static inline bool abort_is_word(uint32_t esr)
{
	return (esr & (DABT_SAS_MASK | DABT_SSE)) == DABT_SAS_WORD;
}

/* Return whether both functions above return true, by one comparison. */
static inline bool abort_is_emulated_word(uint32_t esr)
{
	return (esr & (DABT_ISV | DABT_CM | DABT_S1PTW | FSC_TYPE(~0u) | DABT_SAS_MASK |
		       DABT_SSE)) == (DABT_ISV | FSC_TRANSLATION | DABT_SAS_WORD);
}

/* Return the number of a register's bits that the access does not use. */
static inline unsigned abort_unused_bits(uint32_t esr)
{
	return -8u * abort_size(esr) & (8 * sizeof(reg_t) - 1);
}

/* Return the value that a store writes: the low bytes of the register. */
static inline reg_t abort_store_value(uint32_t esr, reg_t value)
{
	unsigned unused = abort_unused_bits(esr);

	return value << unused >> unused;
}

/* Return the register after a load of `value`: zero- or sign-extended to its width. */
static inline reg_t abort_load_value(uint32_t esr, reg_t value)
{
	unsigned unused = abort_unused_bits(esr);
	reg_t extended = value << unused;

	if (__builtin_expect(!(esr & DABT_SSE), 1))
		return extended >> unused;
	extended = (reg_t)((intptr_t)extended >> unused);
	return esr & DABT_SF ? extended : (uint32_t)extended;
}
