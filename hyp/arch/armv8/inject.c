/* SPDX-License-Identifier: Apache-2.0 */
/* Inject an exception into an unmodified guest where bare hardware would raise it. */
#include "arch/control.h"
#include "arch/esr.h"
#include "arch/sysreg.h"
#include "hyp/arch/guest.h"
#include "hyp/trap/trap_decode.h"

#define SPSR_MODE 0x1fu
#define SPSR_EL1H 0x5u
#define SPSR_EL1T 0x4u
#define SPSR_AARCH32 (1u << 4)
#define SPSR_PAN (1u << 22)
#define SPSR_KEPT (0xfu << 28 | 1u << 24 | SPSR_PAN) /* NZCV, DIT */
#define SCTLR_SPAN (1u << 23)

/*
 * Offsets of synchronous exceptions in a vector table, by the interrupted context (DDI 0487
 * D1.10.2).
 */
#define VECTOR_SP_EL0 0x000u
#define VECTOR_SP_ELX 0x200u
#define VECTOR_LOWER 0x400u
#define VECTOR_LOWER_32 0x600u

static uintptr_t vector_of(reg_t spsr)
{
	reg_t mode = spsr & SPSR_MODE;

	if (spsr & SPSR_AARCH32)
		return VECTOR_LOWER_32;
	return mode == SPSR_EL1H ? VECTOR_SP_ELX : mode == SPSR_EL1T ? VECTOR_SP_EL0 : VECTOR_LOWER;
}

/* AArch64.TakeException to EL1 (DDI 0487 J1.1.2). IL is 1 for each injected class
 * (D13.2.37). */
static void enter(reg_t spsr, uint32_t esr)
{
	bool set_pan = !(read_sctlr_el1() & SCTLR_SPAN);

	write_elr_el1(read_elr_el2());
	write_spsr_el1(spsr);
	write_esr_el1(esr | ESR_IL);
	write_elr_el2(read_vbar_el1() + vector_of(spsr));
	write_spsr_el2(SPSR_EL1H_MASKED | (spsr & SPSR_KEPT) | (set_pan ? SPSR_PAN : 0));
}

void trap_inject_undefined(void)
{
	enter(read_spsr_el2(), EC_UNKNOWN << ESR_EC_SHIFT);
}

bool trap_inject_abort(uint32_t esr)
{
	reg_t spsr = read_spsr_el2();
	/* the class of an abort from EL1 is one more than that from EL0 */
	uint32_t from_el1 = vector_of(spsr) < VECTOR_LOWER;
	uint32_t access = ESR_EC(esr) == EC_DABT_LOW ? esr & (DABT_WNR | DABT_CM) : 0;

	if (read_elr_el2() == read_vbar_el1() + vector_of(spsr))
		return false;
	write_far_el1(read_far_el2());
	enter(spsr, (ESR_EC(esr) + from_el1) << ESR_EC_SHIFT | access | abort_guest_fsc(esr));
	return true;
}
