/* SPDX-License-Identifier: Apache-2.0 */
/* HYP mode of an Armv7-A core with the Virtualization Extensions. Register fields: DDI 0406C
 * B4.1; reset values: Cortex-A15 TRM (DDI 0438) chapter 4. */
#include "hyp/arch/cpu.h"
#include "hyp/arch/guest.h"

#include "arch/control.h"
#include "arch/esr.h"
#include "arch/psr.h"
#include "arch/sysreg.h"
#include "hyp/arch/armv7/condition.h"
#include "hyp/cpu/errata.h"
#include "lib/compiler.h"

#define VMSA_LPAE 5u /* ID_MMFR0.VMSA */

const char cpu_isa[] = "armv7";

/* No ARMv7 core has additions that need these traps. */
reg_t newer_hcr, newer_mdcr;

void newer_init(void)
{
}

bool newer_is_there(void)
{
	return false;
}

void newer_save(struct newer_el1 *regs)
{
}

void newer_restore(const struct newer_el1 *regs)
{
}

/* Return the level; boot_state.level also has the security state of PL1. */
unsigned cpu_level(void)
{
	reg_t mode = read_cpsr() & PSR_MODE;

	return mode == PSR_MODE_HYP ? 2 : mode == PSR_MODE_MON ? 3 : 1;
}

unsigned cpu_pa_bits(void)
{
	return (read_id_mmfr0_el1() & 0xf) >= VMSA_LPAE ? 40 : 32;
}

bool cpu_has_secure_state(void)
{
	return (read_id_pfr1_el1() >> 4 & 0xf) != 0; /* Security Extensions */
}

/* gem5 takes the memory attributes of HYP mode from MAIR0 instead of HMAIR0. On other machines the
 * first two writes have no effect: the reset of a guest overwrites them. */
void cpu_set_memory_types(void)
{
	write_tcr_el1(TTBCR_EAE);
	write_mair_el1((uint32_t)MAIR_VALUE);
	write_mair_el2(MAIR_VALUE);
}

void cpu_set_entry(struct vcpu *vcpu, uintptr_t entry, reg_t argument)
{
	vcpu->frame = (struct trap_frame){ .x = { argument } };
	write_elr_el2(entry & ~(uintptr_t)1);
	write_spsr_el2(PSR_MODE_SVC | PSR_AIF | (entry & 1 ? PSR_T : 0));
}

void cpu_boot_registers(struct vcpu *vcpu, uintptr_t dtb)
{
	vcpu->frame.x[0] = 0;
	vcpu->frame.x[1] = ~(reg_t)0; /* no machine number */
	vcpu->frame.x[2] = dtb;
}

/* Bit 0 is set for a Thumb entry. */
bool cpu_entry_aligned(reg_t entry)
{
	return (entry & 1) || !(entry & 2);
}

/* Skip a Thumb instruction: HSR.IL gives its length. The skip also advances the IT block. */
static void skip_thumb(reg_t spsr)
{
	write_elr_el2(read_elr_el2() + (read_esr_el2() & ESR_IL ? 4 : 2));
	write_spsr_el2(psr_it_advance(spsr));
}

void trap_skip_instruction(void)
{
	reg_t spsr = read_spsr_el2();

	if (spsr & PSR_T)
		skip_thumb(spsr);
	else
		write_elr_el2(read_elr_el2() + 4);
}

/* Cortex-A15 erratum 766422: HSR.Rt may be wrong if a Thumb store faults at stage 2. */
static __cold bool skip_thumb_store(reg_t spsr)
{
	if (errata.thumb_store_stops)
		return false;
	skip_thumb(spsr);
	return true;
}

bool trap_skip_store(void)
{
	reg_t spsr = read_spsr_el2();

	if (spsr & PSR_T)
		return skip_thumb_store(spsr);
	write_elr_el2(read_elr_el2() + 4);
	return true;
}

void trap_repeat_store(void)
{
	reg_t spsr = read_spsr_el2();
	bool is_short = spsr & PSR_T && !(read_esr_el2() & ESR_IL);

	write_elr_el2(read_elr_el2() - (is_short ? 2 : 4));
	if (spsr & PSR_T)
		write_spsr_el2(psr_it_back(spsr));
}

bool trap_condition_passed(uint32_t esr)
{
	return condition_passed(esr, read_spsr_el2());
}

va_t trap_fault_va(bool fetch)
{
	return fetch ? read_hifar() : read_far_el2();
}

void cpu_dump(void (*line)(const char *name, uint64_t value))
{
	line("cpsr", read_cpsr());
	line("dfsr", read_esr_el1());
	line("dfar", read_far_el1());
	line("ifsr", read_ifsr32_el2());
	line("ifar", read_ifar());
	if (cpu_level() != 2)
		return;
	line("hsr", read_esr_el2());
	line("elr_hyp", read_elr_el2());
	line("spsr_hyp", read_spsr_el2());
	line("hdfar", read_far_el2());
	line("hifar", read_hifar());
	line("hpfar", read_hpfar_el2());
	line("hcr", read_hcr_el2());
	line("hsctlr", read_sctlr_el2());
	line("vttbr", read_vttbr_el2());
	line("lr_svc", read_lr_svc());
	line("lr_abt", read_lr_abt());
}
