/* SPDX-License-Identifier: Apache-2.0 */
/* The entry points of trap.c once more, for the instrumented vector tables. */
#include "hyp/trap/trap_account.h"

#include "abi/probe.h"
#include "arch/esr.h"
#include "arch/probe.h"
#include "arch/sysreg.h"
#include "boards/board.h"
#include "hyp/arch/guest.h"
#include "hyp/cpu/smp.h"
#include "hyp/trap/trap.h"
#include "lib/compiler.h"

/* --- counted --- */

static enum exit_kind irq_kind(const struct vcpu *vcpu, uint32_t iar)
{
	if (trap_virq(vcpu, iar))
		return EXIT_IRQ;
	if (gic_intid(iar) == board.maintenance_intid)
		return EXIT_MAINTENANCE;
	if (gic_intid(iar) == SMP_KICK_SGI)
		return EXIT_KICK;
	return gic_intid(iar) == board.hyp_timer_intid ? EXIT_HYP_TIMER : EXIT_OTHER;
}

/* A data abort that the guest resumes from was an access to an emulated device, or to nothing; or,
 * with EXIT_MAPPED, a first touch. */
static inline struct exit_stat *resumed_stat(uint32_t esr)
{
	if (ESR_EC(esr) == EC_DABT_LOW)
		return &exit_stat[EXIT_MMIO_READ] + (esr & DABT_WNR ? 1 : 0);
	return trap_class_stat[ESR_EC(esr)];
}

_Static_assert(EXIT_MMIO_WRITE == EXIT_MMIO_READ + 1, "resumed_stat() counts on it");

static struct exit_stat *sync_stat(uint32_t esr, const struct vcpu *next)
{
	struct exit_stat *stat = trap_class_stat[ESR_EC(esr)];

	if (next)
		return resumed_stat(esr);
	return stat ? stat : &exit_stat[EXIT_OTHER];
}

static __cold struct vcpu *irq_own_counted(struct vcpu *vcpu, uint32_t iar)
{
	struct exit_stat *stat = &exit_stat[irq_kind(vcpu, iar)];
	struct vcpu *next = trap_irq_own(vcpu, iar);

	exit_stats_add(stat, probe_since(vcpu->exit_start));
	return next;
}

struct vcpu *trap_irq_counted(struct vcpu *vcpu)
{
	uint32_t iar = gic_ack();
	struct virq *virq = trap_virq(vcpu, iar);

	if (!virq)
		return irq_own_counted(vcpu, iar);
	trap_forward(vcpu, iar, virq);
	exit_stats_add(&exit_stat[EXIT_IRQ], probe_since(vcpu->exit_start));
	return vcpu;
}

void trap_count_hvc(uint64_t start)
{
	exit_stats_add(&exit_stat[EXIT_HVC], probe_since(start));
}

/* Not inlined where the kind is known: it would be worked out anew for each access. */
static __attribute__((noinline)) void count(uint64_t start, struct exit_stat *stat)
{
	exit_stats_add(stat, probe_since(start));
}

void trap_count_sync(uint64_t start)
{
	count(start, resumed_stat((uint32_t)read_esr_el2()));
}

struct vcpu *trap_count_leaving(struct vcpu *next, uint64_t start)
{
	count(start, sync_stat((uint32_t)read_esr_el2(), next));
	return next;
}

/* --- counted and traced --- */

static struct vcpu *trace(struct vcpu *next, enum exit_kind kind, uint64_t arg, uint64_t start)
{
	uint64_t ticks = probe_since(start);

	exit_stats_trace(kind, arg, start, ticks);
	exit_stats_add(&exit_stat[kind], ticks);
	return next;
}

struct vcpu *trap_irq_traced(struct vcpu *vcpu)
{
	uint32_t iar = gic_ack();
	enum exit_kind kind = irq_kind(vcpu, iar);
	uint64_t start = vcpu->exit_start;
	struct vcpu *next = vcpu;

	if (kind == EXIT_IRQ)
		trap_forward(vcpu, iar, trap_virq(vcpu, iar));
	else
		next = trap_irq_own(vcpu, iar);
	return trace(next, kind, gic_intid(iar), start);
}

struct vcpu *trap_hvc_traced(struct vcpu *vcpu, uint32_t id)
{
	struct vcpu *next = trap_hvc(vcpu, id);

	return trace(next, EXIT_HVC, id, vcpu->exit_start);
}

struct vcpu *trap_sync_traced(struct vcpu *vcpu)
{
	uint32_t esr = (uint32_t)read_esr_el2();
	bool fetch = ESR_EC(esr) == EC_IABT_LOW;
	bool abort = fetch || ESR_EC(esr) == EC_DABT_LOW;
	uint64_t arg = abort ? trap_fault_ipa(fetch) : esr;
	struct vcpu *next = trap_sync(vcpu);
	enum exit_kind kind = vcpu->exit_start & EXIT_MAPPED
				      ? EXIT_STAGE2_MAP
				      : (enum exit_kind)(sync_stat(esr, next) - exit_stat);

	return trace(next, kind, arg, vcpu->exit_start & ~EXIT_MAPPED);
}

/* --- with probes --- */

#define STAMP(name, ticks) probe_write(offsetof(struct probe_stamps, name), ticks)

static __cold struct vcpu *irq_own_unstamped(struct vcpu *vcpu, uint32_t iar)
{
	struct vcpu *next = trap_irq_own(vcpu, iar);

	return next == vcpu ? TRAP_UNSTAMPED : next;
}

static __cold struct vcpu *forward_slowly_probed(struct vcpu *vcpu, uint32_t iar, struct virq *virq)
{
	trap_forward(vcpu, iar, virq);
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

/* --- with every list register read --- */

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
