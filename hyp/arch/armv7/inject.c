/* SPDX-License-Identifier: Apache-2.0 */
/* Inject an exception into an unmodified guest where bare hardware would raise it. */
#include "arch/control.h"
#include "arch/esr.h"
#include "arch/psr.h"
#include "arch/sysreg.h"
#include "hyp/arch/guest.h"
#include "hyp/trap/trap_decode.h"

#define VECTOR_UNDEFINED 0x04u
#define VECTOR_PREFETCH_ABORT 0x0cu
#define VECTOR_DATA_ABORT 0x10u
#define VECTORS_HIGH 0xffff0000u
#define PSR_I (1u << 7)
#define PSR_E (1u << 9)
#define PSR_IT_J (0x0600fc00u | 1u << 24)

/* Fault status registers (B4.1.51, B4.1.52) */
#define FSR_CM (1u << 13)
#define FSR_WNR (1u << 11)
#define FSR_LPAE (1u << 9)
#define FSR_SHORT_ALIGNMENT 0x01u
#define FSR_SHORT_EXTERNAL 0x08u
#define FSR_SHORT_WALK 0x0cu /* level 1; the code of level 2 is 2 more */

static reg_t vector_base(void)
{
	return read_sctlr_el1() & SCTLR_V ? VECTORS_HIGH : read_vbar_el1();
}

/* The common part of TakeUndefInstrException() and similar functions (DDI 0406C B1.9). */
static void enter(uint32_t vector, reg_t spsr, reg_t mode)
{
	reg_t sctlr = read_sctlr_el1();
	reg_t psr = spsr & ~(PSR_IT_J | PSR_E | PSR_T | PSR_MODE);

	psr |= mode | PSR_I;
	psr |= sctlr & SCTLR_TE ? PSR_T : 0;
	psr |= sctlr & SCTLR_EE ? PSR_E : 0;
	write_elr_el2(vector_base() + vector);
	write_spsr_el2(psr);
}

/* B1.9.4: LR points after the instruction. */
void trap_inject_undefined(void)
{
	reg_t spsr = read_spsr_el2();

	write_lr_und(read_elr_el2() + (spsr & PSR_T ? 2 : 4));
	write_spsr_und(spsr);
	enter(VECTOR_UNDEFINED, spsr, PSR_MODE_UND);
}

/*
 * Return the status in the format of the guest's translation tables (B3.13.3, tables B3-23 and
 * B3-24).
 */
static uint32_t fault_status(uint32_t fsc)
{
	if (read_tcr_el1() & TTBCR_EAE)
		return FSR_LPAE | fsc;
	if (fsc == FSC_ALIGNMENT)
		return FSR_SHORT_ALIGNMENT;
	return fsc == FSC_EXTERNAL ? FSR_SHORT_EXTERNAL : FSR_SHORT_WALK;
}

/* B1.9.7, B1.9.8: LR is 4 after the instruction (prefetch abort) or 8 (data abort). */
bool trap_inject_abort(uint32_t esr)
{
	reg_t spsr = read_spsr_el2();
	uint32_t status = fault_status(abort_guest_fsc(esr));
	bool fetch = ESR_EC(esr) == EC_IABT_LOW;
	uint32_t vector = fetch ? VECTOR_PREFETCH_ABORT : VECTOR_DATA_ABORT;

	if (read_elr_el2() == vector_base() + vector)
		return false;
	write_lr_abt(read_elr_el2() + (fetch ? 4 : 8));
	write_spsr_abt(spsr);
	enter(vector, spsr, PSR_MODE_ABT | PSR_A);
	if (fetch) {
		write_ifar(read_hifar());
		write_ifsr32_el2(status);
		return true;
	}
	write_far_el1(read_far_el2());
	write_esr_el1(status | (esr & DABT_WNR ? FSR_WNR : 0) | (esr & DABT_CM ? FSR_CM : 0));
	return true;
}
