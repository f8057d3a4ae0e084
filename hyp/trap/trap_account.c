/* SPDX-License-Identifier: Apache-2.0 */
/* The entry points of the instrumented vector tables. */
#include "hyp/trap/trap_account.h"

#include "arch/esr.h"
#include "arch/sysreg.h"
#include "boards/board.h"
#include "hyp/arch/guest.h"
#include "hyp/cpu/smp.h"
#include "hyp/trap/trap.h"
#include "hyp/vm/vm_core.h"
#include "lib/compiler.h"

/* --- with counts --- */

static enum exit_kind irq_kind(struct vcpu *vcpu, uint32_t iar)
{
	if (trap_virq(vcpu, iar))
		return EXIT_IRQ;
	if (gic_intid(iar) == board.maintenance_intid)
		return EXIT_MAINTENANCE;
	if (smp_is_kick(gic_intid(iar)))
		return EXIT_KICK;
	return gic_intid(iar) == board.hyp_timer_intid ? EXIT_HYP_TIMER : EXIT_OTHER;
}

/* Return the statistics of a data abort after which the guest resumes: an access to a device or
 * without a mapping, or a first access (EXIT_MAPPED). */
static inline size_t resumed_stat(uint32_t esr)
{
	unsigned class = ESR_EC(esr);

	if (class == EC_DABT_LOW)
		class = TRAP_CLASS_MMIO + (esr & DABT_WNR ? 1 : 0);
	return trap_class_stat[class];
}

_Static_assert(EXIT_STAT(0) != 0, "0 is no statistic");

static size_t sync_stat(uint32_t esr, const struct vcpu *next)
{
	return next ? resumed_stat(esr) : trap_class_stat[ESR_EC(esr)] ?: EXIT_STAT(EXIT_OTHER);
}

static __cold struct vcpu *irq_own_counted(struct vcpu *vcpu, uint32_t iar)
{
	enum exit_kind kind = irq_kind(vcpu, iar);
	struct vcpu *next = trap_irq_own(vcpu, iar);

	exit_stats_add(&vcpu->stats->stat[kind], probe_since(vcpu->exit_start));
	return next;
}

struct vcpu *trap_irq_counted(struct vcpu *vcpu)
{
	uint32_t iar = gic_ack();
	struct virq *virq = trap_virq(vcpu, iar);

	if (!virq)
		return irq_own_counted(vcpu, iar);
	if (!trap_forward_at_once(vcpu, iar, virq))
		trap_forward_slowly(vcpu, iar, virq);
	exit_stats_add(&vcpu->stats->stat[EXIT_IRQ], probe_since(vcpu->exit_start));
	return vcpu;
}

void trap_count_hvc(const struct vcpu *vcpu)
{
	exit_stats_add(&vcpu->stats->stat[EXIT_HVC], probe_since(vcpu->exit_start));
}

/* This function is not inlined: the compiler would compute the address once for each access. */
static __attribute__((noinline)) void count(const struct vcpu *vcpu, struct exit_stat *stat)
{
	exit_stats_add(stat, probe_since(vcpu->exit_start));
}

void trap_count_sync(const struct vcpu *vcpu)
{
	count(vcpu, exit_stat_at(vcpu->stats, resumed_stat((uint32_t)read_esr_el2())));
}

struct vcpu *trap_count_leaving(struct vcpu *next, const struct vcpu *vcpu)
{
	count(vcpu, exit_stat_at(vcpu->stats, sync_stat((uint32_t)read_esr_el2(), next)));
	return next;
}

/* --- with counts and trace --- */

static struct vcpu *trace(const struct vcpu *vcpu, struct vcpu *next, size_t stat, uint64_t arg)
{
	uint64_t start = vcpu->exit_start & ~EXIT_MAPPED;
	uint64_t ticks = probe_since(start);

	exit_stats_trace(vcpu, stat, arg, start, ticks);
	exit_stats_add(exit_stat_at(vcpu->stats, stat), ticks);
	return next;
}

/*
 * Return CNTPCT at which the timer of an interrupt was due; for other interrupts the exit's begin.
 */
static __attribute__((noinline)) uint64_t due(const struct vcpu *vcpu, unsigned intid)
{
	if (intid == board.virt_timer_intid)
		return read_cntv_cval_el0() + read_cntvoff_el2();
	return intid == board.hyp_timer_intid ? read_cnthp_cval_el2() : vcpu->exit_start;
}

struct vcpu *trap_irq_traced(struct vcpu *vcpu)
{
	uint32_t iar = gic_ack();
	enum exit_kind kind = irq_kind(vcpu, iar);
	uint64_t late = vcpu->exit_start - due(vcpu, gic_intid(iar));
	uint64_t arg = gic_intid(iar) | (late >> 32 ? UINT32_MAX : late) << 32;

	return trace(vcpu, trap_irq_acked(vcpu, iar), EXIT_STAT(kind), arg);
}

struct vcpu *trap_hvc_traced(struct vcpu *vcpu, uint32_t id)
{
	return trace(vcpu, trap_hvc(vcpu, id), EXIT_STAT(EXIT_HVC), id);
}

struct vcpu *trap_sync_traced(struct vcpu *vcpu)
{
	uint32_t esr = (uint32_t)read_esr_el2();
	bool fetch = ESR_EC(esr) == EC_IABT_LOW;
	bool abort = fetch || ESR_EC(esr) == EC_DABT_LOW;
	uint64_t arg = abort ? trap_fault_ipa(fetch) : esr;
	struct vcpu *next = trap_sync(vcpu);

	if (vcpu->exit_start & EXIT_MAPPED)
		return trace(vcpu, next, EXIT_STAT(EXIT_STAGE2_MAP), arg);
	/*
	 * Trace the value of a store or an MSR, which has the target of an SGI (struct trace_rec).
	 */
	if (abort && esr & DABT_WNR)
		arg |= (uint64_t)(frame_read(&vcpu->frame, DABT_SRT(esr)) & ~0xffu) << 32;
	if (ESR_EC(esr) == EC_SYSREG)
		arg |= (uint64_t)frame_read(&vcpu->frame, SYSREG_RT(esr)) << 32;
	return trace(vcpu, next, sync_stat(esr, next), arg);
}

/* --- with probes --- */

static __cold struct vcpu *irq_own_unstamped(struct vcpu *vcpu, uint32_t iar)
{
	struct vcpu *next = trap_irq_own(vcpu, iar);

	return next == vcpu ? TRAP_UNSTAMPED : next;
}

static __cold struct vcpu *forward_slowly_probed(struct vcpu *vcpu, uint32_t iar, struct virq *virq)
{
	trap_forward_slowly(vcpu, iar, virq);
	STAMP(injected, probe_read());
	return vcpu;
}

struct vcpu *trap_irq_probed(struct vcpu *vcpu, uint64_t entry)
{
	uint32_t iar = gic_ack();
	uint64_t acknowledged = probe_read();
	struct virq *virq = trap_virq(vcpu, iar);

	if (!virq)
		return irq_own_unstamped(vcpu, iar);
	STAMP(el2_vector, entry);
	STAMP(acknowledged, acknowledged);
	if (!trap_forward_at_once(vcpu, iar, virq))
		return forward_slowly_probed(vcpu, iar, virq);
	STAMP(injected, probe_read());
	return vcpu;
}

/* --- with a read of every list register --- */

static void read_list_registers(struct vcpu *vcpu)
{
	for (unsigned i = 0; i < vcpu->vgic.lr_count; i++)
		vcpu->gic.lr[i] = gic_lr_read(i);
}

struct vcpu *trap_irq_all_lrs(struct vcpu *vcpu)
{
	read_list_registers(vcpu);
	return trap_irq(vcpu);
}

struct vcpu *trap_hvc_all_lrs(struct vcpu *vcpu, uint32_t id)
{
	read_list_registers(vcpu);
	return trap_hvc(vcpu, id);
}

struct vcpu *trap_sync_all_lrs(struct vcpu *vcpu)
{
	read_list_registers(vcpu);
	return trap_sync(vcpu);
}
