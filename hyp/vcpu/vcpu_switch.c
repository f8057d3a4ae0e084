/* SPDX-License-Identifier: Apache-2.0 */
/* The VM switch: save and load of a vCPU's registers other than the general ones. */
#include "hyp/vcpu/vcpu.h"

#include "arch/barrier.h"
#include "arch/block.h"
#include "arch/sysreg.h"
#include "hyp/cpu/errata.h"
#include "hyp/cpu/smp.h"
#include "hyp/mem/stage2.h"
#include "hyp/vcpu/vppi.h"
#include "hyp/vcpu/vtimer.h"
#include "lib/compiler.h"
#include "lib/percpu.h"

uintptr_t vcpu_host_sp PERCPU;

/* A register of EL1 is moved alone if it is wider than a general register, else in a block of words
 * (arch/block.h). Blocks begin after the wide registers, which are the first ones. */
#define EL1_IS_WIDE(name) (sizeof(((struct el1_regs *)NULL)->name) > sizeof(reg_t))
#define EL1_BLOCKS (EL1_IS_WIDE(par_el1) ? offsetof(struct el1_regs, cntv_ctl_el0) : 0)
#define EL1_IN_BLOCK(name)                                                                         \
	((offsetof(struct el1_regs, name) - EL1_BLOCKS) / sizeof(reg_t) % BLOCK_WORDS)

_Static_assert((sizeof(struct el1_regs) - EL1_BLOCKS) % (BLOCK_WORDS * sizeof(reg_t)) == 0,
	       "the last block is whole");
#define X(name, ...)                                                                               \
	_Static_assert(EL1_IS_WIDE(name) == (offsetof(struct el1_regs, name) < EL1_BLOCKS),        \
		       "wide registers are the first ones");
EL1_REGS(X)
#undef X

static inline void el1_save(struct el1_regs *regs)
{
	reg_t *next = (reg_t *)regs + EL1_BLOCKS / sizeof(reg_t);
	reg_t block[BLOCK_WORDS];

#define X(name, ...)                                                                               \
	if (EL1_IS_WIDE(name))                                                                     \
		regs->name = read_##name();                                                        \
	else                                                                                       \
		block[EL1_IN_BLOCK(name)] = (reg_t)read_##name();                                  \
	if (!EL1_IS_WIDE(name) && EL1_IN_BLOCK(name) == BLOCK_WORDS - 1)                           \
		next = block_store(next, block);
	EL1_REGS(X)
#undef X
}

static inline void el1_restore(const struct el1_regs *regs)
{
	const reg_t *next = (const reg_t *)regs + EL1_BLOCKS / sizeof(reg_t);
	reg_t block[BLOCK_WORDS];

#define X(name, ...)                                                                               \
	if (!EL1_IS_WIDE(name) && EL1_IN_BLOCK(name) == 0)                                         \
		next = block_load(next, block);                                                    \
	write_##name(EL1_IS_WIDE(name) ? regs->name : block[EL1_IN_BLOCK(name)]);
	EL1_REGS(X)
#undef X
}

static inline __attribute__((always_inline)) void put(struct vcpu *vcpu)
{
	reg_t elr, spsr;

	el1_save(&vcpu->el1);
	elr = read_elr_el2();
	spsr = read_spsr_el2();
	vcpu->elr = elr;
	vcpu->spsr = spsr;
}

/*
 * Cortex-A72 erratum 1319367, Cortex-A53 erratum 1530924: while some of EL1's registers are one
 * VM's and some the other's, a speculative AT may fill the TLBs from both. During that time stage 2
 * is therefore empty, under a VMID that no VM has: every such translation faults, and the TLBs keep
 * no fault. The first ISB makes the empty stage 2 effective before the first register is written;
 * the second completes the last write before the VTTBR with translations. (TCR_EL1.EPD0 and EPD1
 * would need one more write, and SCTLR_EL1.M set.)
 */
static inline __attribute__((always_inline)) void load(struct vcpu *vcpu)
{
	uint64_t empty_vttbr = errata_empty_vttbr();
	reg_t elr = vcpu->elr, spsr = vcpu->spsr;

	if (__builtin_expect(empty_vttbr != 0, ISA_SPECULATIVE_AT)) {
		write_vttbr_el2(empty_vttbr);
		isb();
	}
	write_elr_el2(elr);
	write_spsr_el2(spsr);
	el1_restore(&vcpu->el1);
	if (__builtin_expect(empty_vttbr != 0, ISA_SPECULATIVE_AT))
		isb();
	write_vttbr_el2(vcpu->vttbr);
}

uint8_t vcpu_find_auxiliary(void)
{
	reg_t values = 0;

#define X(name, ...)                                                                               \
	write_##name((__typeof__(read_##name()))~0ull);                                            \
	isb();                                                                                     \
	values |= read_##name();                                                                   \
	write_##name(0);
	EL1_AUXILIARY_REGS(X)
#undef X
	return values || newer_is_there() ? VCPU_AUXILIARY : 0;
}

static void auxiliary_save(struct vcpu *vcpu)
{
#define X(name, ...) vcpu->auxiliary.name = read_##name();
	EL1_AUXILIARY_REGS(X)
#undef X
	newer_save(&vcpu->newer);
}

static void auxiliary_restore(const struct vcpu *vcpu)
{
#define X(name, ...) write_##name(vcpu->auxiliary.name);
	EL1_AUXILIARY_REGS(X)
#undef X
	newer_restore(&vcpu->newer);
}

static inline bool has_timer_on(const struct vcpu *vcpu)
{
	return (vcpu->el1.cntv_ctl_el0 | vcpu->el1.cntp_ctl_el0) & 1;
}

static inline void timers_off(const struct vcpu *vcpu)
{
	reg_t cntv = vcpu->el1.cntv_ctl_el0, cntp = vcpu->el1.cntp_ctl_el0;

	if (cntv & 1)
		write_cntv_ctl_el0(0);
	if (cntp & 1)
		write_cntp_ctl_el0(0);
}

static inline reg_t interrupts_to_come(const struct vcpu *vcpu)
{
	return (reg_t)vcpu->virtual_timer.link | vcpu->vgic.work | vcpu->vgic.posted.kinds;
}

static void el2_load(const struct el2_regs *regs)
{
#define X(name) write_##name(regs->name);
	EL2_REGS(X)
#undef X
}

static void el2_switch(const struct el2_regs *from, const struct el2_regs *to)
{
#define X(name)                                                                                    \
	if (from->name != to->name)                                                                \
		write_##name(to->name);
	EL2_REGS(X)
#undef X
}

bool vcpu_same_el2(const struct vcpu *a, const struct vcpu *b)
{
#define X(name) a->el2.name == b->el2.name &&
	return EL2_REGS(X) true;
#undef X
}

static __cold void enable_held_spi(struct vcpu *vcpu)
{
	vcpu->load_work &= (uint8_t)~VCPU_HOLDS_SPI;
	gic_enable(vcpu->held_spi);
}

/* The list registers are filled once, after the change of a timer's line. */
static __cold void load_with_work(struct vcpu *vcpu)
{
	vgic_begin_one(&vcpu->vgic);
	vtimer_load(vcpu);
	vgic_end_one(&vcpu->vgic);
}

/* total: 1: a visit loads one vCPU at most */
static __cold void load_interrupts(struct vcpu *vcpu)
{
	if (vcpu->vgic.work)
		load_with_work(vcpu);
	else
		vtimer_load(vcpu);
	if (vcpu->vgic.posted.kinds)
		smp_kick(vcpu->core);
}

/* Empty list registers may raise the maintenance interrupt while the virtual interface is on. */
void vcpu_put(struct vcpu *vcpu)
{
	put(vcpu);
	gic_virt_save(&vcpu->gic);
	if (vcpu->load_work & VCPU_AUXILIARY)
		auxiliary_save(vcpu);
	gic_virt_off();
	write_vttbr_el2(stage2_empty_vttbr()); /* no vCPU is loaded now */
	vtimer_put(vcpu);
}

/* After the ISB the list registers and the timers are those of `vcpu`. */
void vcpu_load(struct vcpu *vcpu)
{
	el2_load(&vcpu->el2);
	fp_switch(&vcpu->fp);
	load(vcpu);
	gic_virt_restore(&vcpu->gic);
	if (vcpu->load_work & VCPU_AUXILIARY)
		auxiliary_restore(vcpu);
	if (vcpu->load_work & VCPU_HOLDS_SPI)
		enable_held_spi(vcpu);
	isb();
	vppi_load(vcpu);
	if (vcpu->load_work & VCPU_FP_EAGER)
		fp_move(&vcpu->fp);
	load_interrupts(vcpu);
}

static __cold void switch_rare(struct vcpu *to, struct vcpu *from)
{
	if (to->load_work & VCPU_AUXILIARY) {
		auxiliary_save(from);
		auxiliary_restore(to);
	}
	if (to->load_work & VCPU_HOLDS_SPI)
		enable_held_spi(to);
	load_interrupts(to);
	if (to->load_work & VCPU_WORKS)
		vcpu_leave(to);
}

/* Switch the state of two VMs outside of registers: PPIs, armed timers, FP registers. */
static __attribute__((noinline, flatten)) void switch_more(struct vcpu *to, struct vcpu *from)
{
	if (to->load_work & VCPU_SHARES_PPIS)
		vppi_load(to);
	vtimer_put(from);
	if (to->load_work & VCPU_FP_EAGER)
		fp_move(&to->fp);
	if (timer_is_queued(&to->virtual_timer))
		timerq_remove(&to->virtual_timer);
	if (to->load_work & ~(VCPU_SHARES_PPIS | VCPU_FP_EAGER | VCPU_DIFFERS) || to->vgic.work ||
	    to->vgic.posted.kinds)
		switch_rare(to, from);
}

static __attribute__((noinline, flatten)) void switch_ppis(struct vcpu *to)
{
	vppi_load(to);
}

static inline __attribute__((always_inline)) void switch_rest(struct vcpu *to, struct vcpu *from)
{
	if (!has_timer_on(from) && !interrupts_to_come(to) && !to->load_work)
		return;
	if (!has_timer_on(from) && !interrupts_to_come(to) && to->load_work == VCPU_SHARES_PPIS)
		switch_ppis(to);
	else
		switch_more(to, from);
}

static __cold void switch_list_registers(struct vcpu *to, struct vcpu *from)
{
	gic_virt_switch_lrs(&from->gic, &to->gic);
	switch_rest(to, from);
}

/*
 * ERET synchronises the context, so no barrier is needed. Other work comes last and in separate
 * functions, so that this function needs no stack.
 *
 * A timer's CTL, CVAL and CNTVOFF must never be values of two VMs while the timer is on: its PPI
 * would signal although neither VM's timer is due. So the timers are off from here until load()
 * writes CTL, after the others. Direct writes need no barrier between them (DDI 0487 D19.1.2).
 */
__attribute__((flatten)) void vcpu_switch(struct vcpu *to, struct vcpu *from)
{
	put(from);
	timers_off(from);
	if (__builtin_expect_with_probability(to->load_work & VCPU_DIFFERS, 0, 1.0))
		el2_switch(&from->el2, &to->el2);
	if (!(to->load_work & VCPU_FP_EAGER))
		fp_switch(&to->fp);
	load(to);
	if (gic_virt_switch(&from->gic, &to->gic))
		switch_rest(to, from);
	else
		switch_list_registers(to, from);
}
