/* SPDX-License-Identifier: Apache-2.0 */
/* A guest that did what this hypervisor does not have takes the exception it would without one. */
#include "arch/psr.h"
#include "arch/sysreg.h"
#include "hyp/arch/cpu.h"

#define VECTOR_UNDEFINED 4u
#define VECTORS_HIGH 0xffff0000u
#define SCTLR_V (1u << 13)  /* vectors at VECTORS_HIGH, wherever VBAR is */
#define SCTLR_EE (1u << 25) /* exceptions are taken big-endian, */
#define SCTLR_TE (1u << 30) /* and in Thumb state */
#define PSR_I (1u << 7)
#define PSR_E (1u << 9)
#define PSR_IT_J (0x0600fc00u | 1u << 24)

/* DDI 0406C B1.9.4, TakeUndefInstrException(): LR is behind the instruction. */
void trap_inject_undefined(void)
{
	reg_t sctlr = read_sctlr_el1();
	reg_t spsr = read_spsr_el2();
	reg_t psr = spsr & ~(PSR_IT_J | PSR_E | PSR_T | PSR_MODE);

	psr |= PSR_MODE_UND | PSR_I;
	psr |= sctlr & SCTLR_TE ? PSR_T : 0;
	psr |= sctlr & SCTLR_EE ? PSR_E : 0;
	write_lr_und(read_elr_el2() + (spsr & PSR_T ? 2 : 4));
	write_spsr_und(spsr);
	write_elr_el2((sctlr & SCTLR_V ? VECTORS_HIGH : read_vbar_el1()) + VECTOR_UNDEFINED);
	write_spsr_el2(psr);
}
