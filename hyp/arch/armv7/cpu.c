/* SPDX-License-Identifier: Apache-2.0 */
/* HYP mode of an Armv7-A core with the Virtualization Extensions. Register fields: DDI 0406C
 * B4.1; reset values: Cortex-A15 TRM (DDI 0438) chapter 4. */
#include "hyp/arch/cpu.h"

#include "arch/barrier.h"
#include "arch/el1_regs.h"
#include "arch/esr.h"
#include "arch/psr.h"
#include "arch/sysreg.h"
#include "arch/tlb.h"
#include "hyp/arch/armv7/condition.h"
#include "hyp/arch/guest_control.h"
#include "hyp/errata.h"
#include "hyp/vm.h"
#include "lib/compiler.h"
#include "lib/lpae.h"

#define HSCTLR_RES1 0x30c50878u /* with CP15BEN, as at reset */
#define HSCTLR_M (1u << 0)
#define HSCTLR_C (1u << 2)
#define HSCTLR_I (1u << 12)
#define HSCTLR_WXN (1u << 19)

/* Coprocessors that are not there read as one; trace registers trap (TTA); TCP10, TCP11 0 */
#define HCPTR_NO_TRAPS (0x33ffu | 1u << 20)
#define HCPTR_TCP10 (1u << 10)
#define HCPTR_FP (3u << 10 | 1u << 15) /* TCP10, TCP11, TASE */

/* HTCR and VTCR: 4 GiB of input (T0SZ 0), inner shareable write-back walks; stage 2 begins at
 * level 1 as well */
#define TTBCR_EAE (1u << 31)
#define HTCR_RES1 (1u << 31 | 1u << 23)
#define TCR_WALK_CACHED (1u << 8 | 1u << 10 | 3u << 12)
#define VTCR_RES1 (1u << 31)
#define VTCR_SL0_LEVEL1 (1u << 6)

/* PL1 and PL0 may read CNTPCT; they may use CNTP (B4.1.23). As on armv8. */
#define CNTHCTL_PCTEN (1u << 0)
#define CNTHCTL_PCEN (1u << 1)

#define ID_MMFR0_VMSA(value) ((value)&0xfu)
#define VMSA_LPAE 5u
#define ID_PFR1_SECURITY(value) ((value) >> 4 & 0xfu)

const char cpu_isa[] = "armv7";

static bool has_fp;

/* Where NSACR keeps FP from Non-secure state HCPTR's traps read as one (DDI 0406C B4.1.65): so on
 * gem5, where NSACR grants none (boards/board.h). */
bool cpu_has_fp(void)
{
	return has_fp;
}

static reg_t mode(void)
{
	return read_cpsr() & PSR_MODE;
}

unsigned cpu_level(void)
{
	switch (mode()) {
	case PSR_MODE_HYP:
		return 2;
	case PSR_MODE_MON:
		return 3;
	default: /* Secure or not: boot_state.level says */
		return 1;
	}
}

unsigned cpu_pa_bits(void)
{
	return ID_MMFR0_VMSA(read_id_mmfr0_el1()) >= VMSA_LPAE ? 40 : 32;
}

bool cpu_has_secure_state(void)
{
	return ID_PFR1_SECURITY(read_id_pfr1_el1()) != 0;
}

void cpu_init(void)
{
	cpu_guest_off();
	write_cptr_el2(HCPTR_NO_TRAPS);
	has_fp = !(read_cptr_el2() & HCPTR_TCP10);
	write_hstr_el2(0);
	write_mdcr_el2(read_mdcr_el2() & 0x1f); /* HPMN, until guest_mdcr() */
	write_vpidr_el2(read_midr_el1());
	write_vmpidr_el2(read_mpidr_el1());
	write_cntvoff_el2(0);
	write_cnthp_ctl_el2(0);
	write_vttbr_el2(0);
	isb();
}

/* gem5 takes the attributes of HYP mode's memory from MAIR0, not HMAIR0. Elsewhere the two writes
 * are nothing: a guest finds both registers reset. */
void cpu_enable_mmu(const pte_t *root)
{
	write_tcr_el1(TTBCR_EAE);
	write_mair_el1((uint32_t)MAIR_VALUE);
	write_mair_el2(MAIR_VALUE);
	write_tcr_el2(HTCR_RES1 | TCR_WALK_CACHED);
	write_ttbr0_el2((uintptr_t)root);
	tlbi_el2_all();
	write_sctlr_el2(HSCTLR_RES1 | HSCTLR_M | HSCTLR_C | HSCTLR_I | HSCTLR_WXN);
	isb();
}

void cpu_reset_guest(struct vcpu *vcpu, uintptr_t entry, reg_t argument)
{
#define X(name, value) write_##name(value);
	EL1_REGS(X)
#undef X
	cpu_reset_debug();
	cpu_reset_pmu();
	vcpu->cntp = (struct vcntp)VCNTP_RESET;
	write_cntvoff_el2(vcpu->vm->cntvoff);
	vcpu->frame = (struct trap_frame){ .r0_3 = { argument } };
	write_elr_el2(entry & ~(uintptr_t)1);
	write_spsr_el2(PSR_MODE_SVC | PSR_AIF | (entry & 1 ? PSR_T : 0));
	isb();
}

void cpu_boot_registers(struct vcpu *vcpu, uintptr_t dtb)
{
	vcpu->frame.r0_3[0] = 0;
	vcpu->frame.r0_3[1] = ~(reg_t)0; /* no machine number */
	vcpu->frame.r0_3[2] = dtb;
}

/* Of a Thumb one bit 0 is set. */
bool cpu_entry_aligned(reg_t entry)
{
	return (entry & 1) || !(entry & 2);
}

void cpu_guest_on(const struct run_config *config)
{
	write_vtcr_el2(VTCR_RES1 | TCR_WALK_CACHED | VTCR_SL0_LEVEL1);
	write_cnthctl_el2(config->cntp == CNTP_TRAPPED ? CNTHCTL_PCTEN
						       : CNTHCTL_PCTEN | CNTHCTL_PCEN);
	write_mdcr_el2(guest_mdcr(config));
	write_hcr_el2(guest_hcr(config));
	isb();
}

/* Also quiets the guest's timers, so that nothing of a stopped guest stays pending. */
void cpu_guest_off(void)
{
	write_hcr_el2(0);
	write_cntv_ctl_el0(0);
	write_cntp_ctl_el0(0);
	isb();
}

void cpu_fp_trap(bool on)
{
	write_cptr_el2(on ? HCPTR_NO_TRAPS | HCPTR_FP : HCPTR_NO_TRAPS);
}

/* HSR.IL: the length; an instruction of an IT block leaves its place in the block behind, too. */
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

/* Cortex-A15 erratum 766422: where a Thumb store faults at stage 2, HSR.Rt may be another register.
 * An ARM store takes nothing more than its skipping. */
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

bool trap_condition_passed(uint32_t esr)
{
	return condition_passed(esr, read_spsr_el2());
}

va_t trap_fault_va(bool fetch)
{
	return fetch ? read_hifar() : read_far_el2();
}

/* HPFAR holds bits 39:12 from bit 4 on; the offset in the page is the virtual address's. */
ipa_t trap_fault_ipa(bool fetch)
{
	return (ipa_t)(read_hpfar_el2() & ~0xfu) << 8 | (trap_fault_va(fetch) & 0xfff);
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
