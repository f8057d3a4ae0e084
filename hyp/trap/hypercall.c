/* SPDX-License-Identifier: Apache-2.0 */
/* The hypercalls of abi/hypercall.h, one function each. */
#include "hyp/trap/hypercall.h"

#include "abi/guest_run.h"
#include "abi/hypercall.h"
#include "arch/counter.h"
#include "arch/sysreg.h"
#include "hyp/arch/guest.h"
#include "hyp/cpu/fp.h"
#include "hyp/cpu/timerq.h"
#include "hyp/mem/cold.h"
#include "hyp/sched/sched.h"
#include "hyp/trap/exit_stats.h"
#include "hyp/trap/trap.h"
#include "hyp/vm/guest_record.h"
#include "hyp/vm/psci.h"
#include "hyp/vm/vm_core.h"
#include "lib/compiler.h"

#define OWNER_BIT_1 (1u << 25) /* in bits 29 to 24 of a function id */

_Static_assert(HC_BASE &OWNER_BIT_1, "is_vendors() needs this bit");

static struct vcpu *hc_null(struct vcpu *vcpu)
{
	return vcpu_result(vcpu, HC_OK);
}

static struct vcpu *hc_record(struct vcpu *vcpu)
{
	long result = guest_record_send(vcpu, vcpu->frame.x[1], vcpu->frame.x[2]);

	if (result == HC_AGAIN)
		vcpu->exit_start ^= EXIT_NOT_COUNTED; /* count a record once, by its last exit */
	return vcpu_result(vcpu, result);
}

static struct vcpu *hc_exit(struct vcpu *vcpu)
{
	static const uint8_t outcome[] = {
		[GUEST_EXIT_DONE] = VM_DONE,
		[GUEST_EXIT_REFUSED] = VM_REFUSED,
		[GUEST_EXIT_FAILED] = VM_FAILED,
		[GUEST_EXIT_CRASHED] = VM_CRASHED,
	};
	reg_t reason = vcpu->frame.x[1];

	if (reason == GUEST_EXIT_CRASHED)
		vm_fault(vcpu, FAULT_GUEST_CRASH, 0, 0, 0);
	if (reason < ARRAY_SIZE(outcome))
		vm_end(vcpu->vm, outcome[reason]);
	else
		vm_fault(vcpu, FAULT_BAD_EXIT, 0, 0, 0);
	return NULL;
}

/* Change the vector table: exits use the plain table while nothing is counted. */
static struct vcpu *hc_measure(struct vcpu *vcpu)
{
	struct run_config config = *vcpu->vm->config;
	reg_t on = vcpu->frame.x[1];

	if (on > 1)
		return vcpu_result(vcpu, HC_EINVAL);
	vcpu->exit_start ^= EXIT_NOT_COUNTED; /* do not count this exit */
	if (on)
		exit_stats_begin(vcpu);
	config.stats &= (uint32_t)on;
	config.trace &= (uint32_t)on;
	cpu_use_vectors(vcpu, &config);
	write_vbar_el2(vcpu->el2.vbar_el2);
	sched_compare();
	return vcpu_result(vcpu, HC_OK);
}

/* Make an SPI pending as a device would. The stamps are taken with every value of `probes`. */
static struct vcpu *hc_raise(struct vcpu *vcpu)
{
	const struct vm_machine *machine = vcpu->vm->machine;
	reg_t intid = vcpu->frame.x[1];

	if (intid - machine->raise_first >= machine->raise_count)
		return vcpu_result(vcpu, HC_EINVAL);
	STAMP(before_raised, probe_read());
	STAMP(raised, probe_read());
	gic_set_pending((unsigned)intid);
	return vcpu_result(vcpu, HC_OK);
}

_Static_assert(STATE_COLD_TLB == 2, "cold.S knows this value");

static struct vcpu *hc_cold(struct vcpu *vcpu)
{
	const struct vm *vm = vcpu->vm;

	if (!cold_make(&vm->machine->ram, &vm->tables, vcpu->frame.x[1], vcpu->frame.x[2]))
		return vcpu_result(vcpu, HC_EINVAL);
	return cold_return(vcpu_result(vcpu, HC_OK));
}

static struct vcpu *hc_tlbi(struct vcpu *vcpu)
{
	reg_t which = vcpu->frame.x[1];

	if (!vm_has_stage2(vcpu->vm) || (which != HC_TLBI_VMID && which != HC_TLBI_ALL))
		return vcpu_result(vcpu, HC_EINVAL);
	if (which == HC_TLBI_VMID)
		stage2_tlbi_vmid(&vcpu->vm->stage2);
	else
		stage2_tlbi_all(&vcpu->vm->stage2);
	return vcpu_result(vcpu, HC_OK);
}

static struct vcpu *hc_vmid(struct vcpu *vcpu)
{
	reg_t flush = vcpu->frame.x[1];

	if (!vm_has_stage2(vcpu->vm) || flush > 1)
		return vcpu_result(vcpu, HC_EINVAL);
	stage2_switch_vmid(&vcpu->vm->stage2, flush);
	vcpu->vttbr = read_vttbr_el2();
	return vcpu_result(vcpu, HC_OK);
}

static struct vcpu *hc_peek(struct vcpu *vcpu)
{
	reg_t address = vcpu->frame.x[1];
	/* argument: 4 */
	const volatile uint32_t *word = ram_at(&vcpu->vm->machine->ram, address, sizeof(*word));

	return vcpu_result(vcpu, word && address % sizeof(*word) == 0 ? (long)*word : 0);
}

static uint32_t stage2_level(const struct vm *vm, ipa_t ipa)
{
	struct pagetable_leaf leaf;

	return vm_has_stage2(vm) && pagetable_walk(&vm->stage2.table, ipa, &leaf) ? leaf.level : 0;
}

static struct vcpu *hc_stage2(struct vcpu *vcpu)
{
	struct stage2_lazy *lazy = &vcpu->vm->lazy;
	const uint32_t counters[] = {
		[HC_STAGE2_FAULTS] = lazy->faults,
		[HC_STAGE2_TICKS] = lazy->ticks,
		[HC_STAGE2_TICKS_MIN] = lazy->ticks_min,
		[HC_STAGE2_TICKS_MAX] = lazy->ticks_max,
		[HC_STAGE2_BUILD_TICKS] = lazy->build_ticks,
	};
	reg_t query = vcpu->frame.x[1];
	ipa_t ipa = vcpu->frame.x[2];

	if (query == HC_STAGE2_LEVEL)
		return vcpu_result(vcpu, (long)stage2_level(vcpu->vm, ipa));
	if (query == HC_STAGE2_UNMAP)
		return vcpu_result(vcpu, stage2_lazy_unmap(lazy, ipa) ? HC_OK : HC_EINVAL);
	return vcpu_result(vcpu, query < ARRAY_SIZE(counters) ? (long)counters[query] : HC_EINVAL);
}

static struct vcpu *hc_fp_release(struct vcpu *vcpu)
{
	fp_release(&vcpu->fp);
	return vcpu_result(vcpu, HC_OK);
}

static __attribute__((flatten)) struct vcpu *hc_yield(struct vcpu *vcpu)
{
	STAMP(issued, vcpu->frame.x[1]);
	return sched_yield_turn(vcpu_result(vcpu, HC_OK));
}

/* Return whether the interrupt that ends a pause of this VM has come already. The interrupt comes
 * only once. */
static __cold bool is_taken_over(struct vcpu *vcpu, unsigned intid)
{
	return vgic_routes(&vcpu->vgic, intid) &&
	       vgic_is_pending(&vcpu->vgic, &vcpu->vgic.virq[intid]);
}

static inline struct vcpu *fail_over(struct vcpu *vcpu, struct vm *active)
{
	if (!vm_fail_over(active))
		return vcpu_result(vcpu, HC_EINVAL);
	STAMP(paused, probe_read());
	vcpu_result(vcpu, HC_OK);
	return sched_next();
}

static struct vcpu *hc_fail_over(struct vcpu *vcpu)
{
	unsigned takeover = vcpu->vm->machine->takeover_intid;

	STAMP(issued, vcpu->frame.x[1]);
	STAMP(fails_over, probe_read());
	if (takeover && is_taken_over(vcpu, takeover))
		return vcpu_result(vcpu, HC_OK);
	return fail_over(vcpu, vcpu->vm);
}

static struct vcpu *hc_switch_over(struct vcpu *vcpu)
{
	struct vm *active = vcpu->vm->machine->commands;

	if (!active || __atomic_load_n(&active->paused, __ATOMIC_ACQUIRE))
		return vcpu_result(vcpu, HC_EINVAL);
	STAMP(issued, vcpu->frame.x[1]);
	STAMP(fails_over, probe_read());
	return fail_over(vcpu, active);
}

static struct vcpu *hc_heartbeat(struct vcpu *vcpu)
{
	struct timer *heartbeat = &vcpu->vm->heartbeat;
	uint64_t deadline = counter_read() + (uint32_t)vcpu->frame.x[1];

	if (vcpu->index != 0)
		return vcpu_result(vcpu, HC_EINVAL);
	timerq_stop(heartbeat);
	STAMP(issued, deadline);
	if ((uint32_t)vcpu->frame.x[1])
		timerq_start(heartbeat, deadline);
	return vcpu_result(vcpu, HC_OK);
}

hypercall *const hypercalls_bench[HC_COUNT] = {
#define X(NAME, name) [HC_INDEX_##NAME] = hc_##name,
	HYPERCALLS(X)
#undef X
};

hypercall *const hypercalls_unmodified[HC_COUNT] = { [0 ... HC_COUNT - 1] = psci };

/*
 * Return whether `id` belongs to owner 6, these hypercalls, and not to owner 0 or 4, psci()
 * (DEN0028 2.5, table 2-1). 32-bit: `id` is beyond these ids; 64-bit: `id` has the owner's bit 1.
 */
static inline bool is_vendors(uint32_t id)
{
	return sizeof(reg_t) == 4 ? (int32_t)(id - HC_BASE) >= (int32_t)HC_COUNT : id & OWNER_BIT_1;
}

/* The id has 32 bits: ignore the register's upper bits (DEN0028 2.5). */
struct vcpu *trap_hvc(struct vcpu *vcpu, uint32_t id)
{
	uint32_t number = id - HC_BASE;

	if (number < HC_COUNT)
		return vcpu->hypercalls[number](vcpu);
	if (is_vendors(id))
		return vcpu_result(vcpu, HC_EUNKNOWN);
	return psci(vcpu);
}
