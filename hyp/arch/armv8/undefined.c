/* SPDX-License-Identifier: Apache-2.0 */
/* A guest that did what this hypervisor does not have takes the exception it would without one. */
#include "arch/esr.h"
#include "arch/sysreg.h"
#include "hyp/arch/cpu.h"

#define SPSR_EL1H_MASKED 0x3c5u
#define SPSR_MODE 0x1fu
#define SPSR_EL1H 0x5u
#define SPSR_EL1T 0x4u
#define SPSR_AARCH32 (1u << 4)

/* Synchronous exceptions in a vector table, by what was interrupted (DDI 0487 D1.10.2). */
#define VECTOR_SP_EL0 0x000u
#define VECTOR_SP_ELX 0x200u
#define VECTOR_LOWER 0x400u
#define VECTOR_LOWER_32 0x600u

static uintptr_t vector_of(reg_t spsr)
{
	if (spsr & SPSR_AARCH32)
		return VECTOR_LOWER_32;
	switch (spsr & SPSR_MODE) {
	case SPSR_EL1H:
		return VECTOR_SP_ELX;
	case SPSR_EL1T:
		return VECTOR_SP_EL0;
	default:
		return VECTOR_LOWER;
	}
}

/* AArch64.TakeException to EL1 (DDI 0487 J1.1.2), with class 0 and IL as the trap had it. */
void trap_inject_undefined(void)
{
	reg_t spsr = read_spsr_el2();

	write_elr_el1(read_elr_el2());
	write_spsr_el1(spsr);
	write_esr_el1(EC_UNKNOWN << ESR_EC_SHIFT | (read_esr_el2() & ESR_IL));
	write_elr_el2(read_vbar_el1() + vector_of(spsr));
	write_spsr_el2(SPSR_EL1H_MASKED);
}
