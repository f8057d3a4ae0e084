/* SPDX-License-Identifier: Apache-2.0 */
/* EL2 and HYP mode, as far as Armv8.0 and ARMv7 agree. Register fields: DDI 0487 D13.2, DDI 0406C
 * B4.1. */
#include "hyp/arch/cpu.h"
#include "hyp/arch/guest.h"

#include "abi/guest_run.h"
#include "arch/barrier.h"
#include "arch/control.h"
#include "arch/el1_regs.h"
#include "arch/hcr.h"
#include "arch/sysreg.h"
#include "arch/tlb.h"
#include "boards/board.h"
#include "hyp/arch/guest_control.h"
#include "hyp/arch/newer.h"
#include "hyp/vcpu/vcntp.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vm.h"

/* SCTLR_EL2 and HSCTLR */
#define SCTLR_M (1u << 0)
#define SCTLR_C (1u << 2)
#define SCTLR_I (1u << 12)
#define SCTLR_WXN (1u << 19)

#define CPTR_TFP (1u << 10) /* HCPTR.TCP10 */

/* 4 GiB of input, inner shareable write-back walks; stage 2 begins at level 1 as well */
#define TCR_EL2_RES1 (1u << 31 | 1u << 23)
#define TCR_WALK_CACHED (1u << 8 | 1u << 10 | 3u << 12)
#define VTCR_RES1 (1u << 31)
#define VTCR_SL0_LEVEL1 (1u << 6)

/* EL1 and EL0 may read CNTPCT; they may use CNTP (D13.11.10, B4.1.23). QEMU 7.2 asks EL1PCEN, too,
 * when EL0 reads CNTPCT: with cntp=emulated that exits there, and is emulated. */
#define CNTHCTL_PCTEN (1u << 0)
#define CNTHCTL_PCEN (1u << 1)

static bool has_fp;

/* Where NSACR keeps FP from Non-secure state HCPTR's traps read as one (DDI 0406C B4.1.65): so on
 * gem5, where NSACR grants none (boards/board.h). */
bool cpu_has_fp(void)
{
	return has_fp;
}

void cpu_init(void)
{
	cpu_guest_off();
	write_cptr_el2(CPTR_NO_TRAPS);
	has_fp = !(read_cptr_el2() & CPTR_TFP);
	write_hstr_el2(0);
	write_mdcr_el2(read_mdcr_el2() & 0x1f); /* HPMN, until guest_mdcr() */
	newer_init();
	write_vpidr_el2(read_midr_el1());
	write_vmpidr_el2(read_mpidr_el1());
	write_cntvoff_el2(0);
	write_cnthp_ctl_el2(0);
	write_vttbr_el2(0);
	write_vtcr_el2(VTCR_RES1 | TCR_WALK_CACHED | VTCR_SL0_LEVEL1 | TCR_SIZES);
	write_tpidr_el2(board.guest_base + GUEST_PROBE_OFFSET);
	isb();
}

void cpu_enable_mmu(const pte_t *root)
{
	cpu_set_memory_types();
	write_tcr_el2(TCR_EL2_RES1 | TCR_WALK_CACHED | TCR_SIZES);
	write_ttbr0_el2((uintptr_t)root);
	tlbi_el2_all();
	write_sctlr_el2(SCTLR_EL2_OFF | SCTLR_M | SCTLR_C | SCTLR_SA | SCTLR_I | SCTLR_WXN);
	isb();
}

#define X(name, reset, ...) write_##name(reset);
void cpu_reset_but_timers(struct vcpu *vcpu, uintptr_t entry, reg_t argument)
{
	EL1_CORE_REGS(X)
	cpu_reset_debug();
	cpu_reset_pmu();
	cpu_set_entry(vcpu, entry, argument);
	isb();
}

void cpu_reset_guest(struct vcpu *vcpu, uintptr_t entry, reg_t argument)
{
	EL1_TIMER_REGS(X)
	cpu_reset_but_timers(vcpu, entry, argument);
	vtimer_stop(vcpu);
	vcntp_reset(vcpu);
}
#undef X

void cpu_guest_el2(struct vcpu *vcpu, const struct run_config *config)
{
	struct el2_regs *regs = &vcpu->el2;

	regs->cnthctl_el2 = CNTHCTL_PCTEN;
	if (config->cntp != CNTP_EMULATED)
		regs->cnthctl_el2 |= CNTHCTL_PCEN;
	regs->mdcr_el2 = guest_mdcr(config) | (config->irq == IRQ_TRAPPED ? newer_mdcr : 0);
	regs->hcr_el2 = HCR_RW | guest_hcr(config) | (config->traps ? newer_hcr : 0);
	regs->cntvoff_el2 = vcpu->vm->cntvoff;
	regs->vmpidr_el2 = read_mpidr_el1();
	cpu_use_vectors(vcpu, config);
}

/* Also quiets the guest's timers, so that nothing of a stopped guest stays pending. */
void cpu_guest_off(void)
{
	write_hcr_el2(HCR_RW);
	write_cntv_ctl_el0(0);
	write_cntp_ctl_el0(0);
	isb();
}

/* HPFAR holds the page's number from bit 4 on; the offset in the page is the virtual address's. */
ipa_t trap_fault_ipa(bool fetch)
{
	return (ipa_t)(read_hpfar_el2() & ~(reg_t)0xf) << 8 | (trap_fault_va(fetch) & 0xfff);
}
