/* SPDX-License-Identifier: Apache-2.0 */
/* What a vCPU has in the core beside its general registers, to memory and back: the VM switch. */
#include "hyp/vcpu/vcpu.h"

#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "hyp/cpu/errata.h"
#include "hyp/cpu/fp.h"
#include "hyp/sched/sched.h"
#include "hyp/trap/exit_stats.h"
#include "hyp/vm/vm.h"

static void el1_save(struct el1_regs *regs)
{
#define X(name, value) regs->name = read_##name();
	EL1_REGS(X)
#undef X
}

static void el1_restore(const struct el1_regs *regs)
{
#define X(name, value) write_##name(regs->name);
	EL1_REGS(X)
#undef X
}

void vcpu_save(struct vcpu *vcpu)
{
	el1_save(&vcpu->el1);
	vcpu->elr = read_elr_el2();
	vcpu->spsr = read_spsr_el2();
	vcpu->vttbr = read_vttbr_el2();
	gic_virt_save(&vcpu->gic);
}

/*
 * Cortex-A72 erratum 1319367: while some of EL1's registers are one VM's and some the other's, a
 * speculated AT may fill the TLBs from both. So stage 2 translates nothing then, under a VMID that
 * nobody has: every such translation faults, and a fault is not kept. The first ISB puts that in
 * force before the first register is written, the second makes the last one complete before the
 * VTTBR that translates again. (TCR_EL1.EPD0 and EPD1 would need one more, and SCTLR_EL1.M set.)
 */
static void restore(struct vcpu *vcpu)
{
	uint64_t empty_vttbr = errata_empty_vttbr();

	if (empty_vttbr) {
		write_vttbr_el2(empty_vttbr);
		isb();
	}
	el1_restore(&vcpu->el1);
	if (empty_vttbr)
		isb();
	write_elr_el2(vcpu->elr);
	write_spsr_el2(vcpu->spsr);
	write_vttbr_el2(vcpu->vttbr);
	gic_virt_restore(&vcpu->gic);
	vgic_resume(&vcpu->vgic);
}

/* What else is EL2's is the same for every VM of a run: HCR, VTCR, CNTVOFF, CNTHCTL, VMPIDR. ERET
 * synchronises the context, so no barrier is needed. */
void vcpu_switch(struct vcpu *from, struct vcpu *to)
{
	vcpu_save(from);
	restore(to);
	to->host_sp = from->host_sp;
	fp_switch(&to->fp);
	exit_stats_vcpu(to);
	sched_switched(from, to);
}
