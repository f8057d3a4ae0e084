/* SPDX-License-Identifier: Apache-2.0 */
/* Set EL2's registers for a guest as its run configuration demands, and reset the guest's
 * registers. */
#include "hyp/arch/guest.h"

#include "arch/barrier.h"
#include "arch/control.h"
#include "arch/el1_regs.h"
#include "arch/hcr.h"
#include "arch/pmu.h"
#include "arch/sysreg.h"
#include "hyp/arch/cpu.h"
#include "hyp/arch/vectors.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vm.h"

/* EL1 and EL0 may read CNTPCT; they may use CNTP (D13.11.10, B4.1.23). QEMU 7.2 also tests EL1PCEN
 * when EL0 reads CNTPCT: with cntp=emulated that read exits on QEMU, and EL2 emulates it. */
#define CNTHCTL_PCTEN (1u << 0)
#define CNTHCTL_PCEN (1u << 1)

#define MDCR_DEBUG (7u << 9) /* TDA, TDOSA, TDRA: debug registers exit */

#define PMCR_P_C (1u << 1 | 1u << 2) /* all counters to 0 */
#define PMCR_N(pmcr) ((unsigned)(pmcr) >> 11 & 0x1f)

void cpu_use_vectors(struct vcpu *vcpu, const struct run_config *config)
{
	static const char *const table[VECTORS_ALL_LRS + 1][FRAME_FULL + 1] = {
		[VECTORS_PLAIN] = { vectors, vectors_full },
#define X(kind, name, ...) [kind] = { vectors_##name, vectors_full_##name },
		VECTOR_KINDS(X)
#undef X
	};
	/*
	 * No configuration combines probes with another condition below (docs/reference/axes.md).
	 */
	unsigned kind = config->probes                    ? VECTORS_PROBED
			: config->trace                   ? VECTORS_TRACED
			: config->stats                   ? VECTORS_COUNTED
			: config->lr_sync == LR_SYNC_FULL ? VECTORS_ALL_LRS
			: config->delay_el2               ? VECTORS_DELAYED
							  : VECTORS_PLAIN;

	vcpu->exit_delay = config->delay_el2;
	if (kind == VECTORS_DELAYED)
		vcpu->exit_delay -= 2; /* two instructions load the delay */
	vcpu->el2.vbar_el2 = (uintptr_t)table[kind][config->frame];
}

static uint32_t guest_hcr(const struct run_config *config)
{
	uint32_t hcr = 0;

	if (config->stage2 != STAGE2_OFF)
		hcr |= HCR_VM | HCR_SWIO | HCR_PTW | HCR_FB | HCR_BSU_IS;
	if (config->irq == IRQ_TRAPPED)
		hcr |= HCR_IMO | HCR_FMO;
	if (config->traps)
		hcr |= HCR_AMO | HCR_TSC | HCR_TAC | HCR_TIDCP;
	if (config->wfi == WFI_TRAPPED || config->sched != SCHED_NULL)
		hcr |= HCR_TWI;
	return hcr;
}

/* HPMN gives the guest every counter, whatever value firmware left. A guest owns the debug
 * registers if it owns the GIC. */
static reg_t guest_mdcr(const struct run_config *config)
{
	reg_t hpmn = pmu_is_there() ? PMCR_N(read_pmcr_el0()) : 0;

	return config->irq == IRQ_TRAPPED ? hpmn | MDCR_DEBUG : hpmn;
}

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

static void reset_counter(unsigned n)
{
	write_pmselr_el0(n);
	isb();
	write_pmxevtyper_el0(0);
}

static void reset_pmu(void)
{
	if (!pmu_is_there())
		return;
	write_pmcr_el0(PMCR_P_C);
	/* bound: 31 */
	for (unsigned n = 0; n < PMCR_N(read_pmcr_el0()); n++)
		reset_counter(n);
	reset_counter(PMSEL_CYCLES); /* PMCCFILTR */
	write_pmselr_el0(0);
	write_pmcntenclr_el0(~0u);
	write_pmintenclr_el1(~0u);
	write_pmovsclr_el0(~0u);
	write_pmuserenr_el0(0);
	isb();
}

#define X(name, reset, ...) write_##name(reset);
void cpu_reset_but_timers(struct vcpu *vcpu, uintptr_t entry, reg_t argument)
{
	EL1_CORE_REGS(X)
	EL1_AUXILIARY_REGS(X)
	newer_restore(&(const struct newer_el1){ 0 });
	cpu_reset_debug();
	reset_pmu();
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

/* HPFAR holds the page's number from bit 4 on; the virtual address has the offset in the page. */
ipa_t trap_fault_ipa(bool fetch)
{
	return (ipa_t)(read_hpfar_el2() & ~(reg_t)0xf) << 8 | (trap_fault_va(fetch) & 0xfff);
}
