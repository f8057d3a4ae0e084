/* SPDX-License-Identifier: Apache-2.0 */
/* Exits: the table of exception classes, and a handler for each class. A handler returns the vCPU
 * to resume, or NULL after it stopped the VM. */
#include "hyp/trap/trap.h"

#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "boards/board.h"
#include "hyp/arch/guest.h"
#include "hyp/base/console.h"
#include "hyp/base/record.h"
#include "hyp/cpu/fp.h"
#include "hyp/cpu/smp.h"
#include "hyp/cpu/timerq.h"
#include "hyp/dev/virtio_net.h"
#include "hyp/dev/vpl011.h"
#include "hyp/sched/sched.h"
#include "hyp/trap/trap_decode.h"
#include "hyp/vcpu/vppi.h"
#include "hyp/vm/psci.h"
#include "hyp/vm/vm_core.h"
#include "hyp/vm/vm_gic.h"
#include "lib/compiler.h"

/* EL2 emulated the instruction: the guest resumes after it. */
static struct vcpu *done(struct vcpu *vcpu)
{
	trap_skip_instruction();
	return vcpu;
}

static __cold struct vcpu *stop(struct vcpu *vcpu, enum fault_reason reason, uint32_t esr)
{
	bool fetch = ESR_EC(esr) == EC_IABT_LOW;

	vm_fault(vcpu, reason, esr, trap_fault_va(fetch), trap_fault_ipa(fetch));
	return NULL;
}

/*
 * Fail over from the active VM of a pair, or stop the VM. The standby may run before
 * vm_fault_fails_over() returns.
 */
static __cold struct vcpu *fail_over_or_stop(struct vcpu *vcpu, enum fault_reason reason,
					     uint32_t esr)
{
	STAMP(issued, frame_read(&vcpu->frame, DABT_SRT(esr)));
	STAMP(fails_over, probe_read());
	if (!vm_fault_fails_over(vcpu, reason, trap_fault_ipa(ESR_EC(esr) == EC_IABT_LOW)))
		return stop(vcpu, reason, esr);
	STAMP(paused, probe_read());
	trap_skip_instruction();
	return sched_next();
}

/* --- interrupts --- */

/* Another core has a request or posts. One SGI may cover several kicks: the dsb orders the reads of
 * requests and posts after the acknowledge. */
static struct vcpu *kicked(struct vcpu *vcpu, uint32_t iar)
{
	gic_end(iar);
	dsb_sy();
	if (smp_is_asked())
		return NULL;
	if (vcpu->vgic.posted.kinds)
		vgicd_process_posts(vcpu);
	return sched_wake_posted() ? sched_next() : vcpu;
}

static __cold void take_over(struct vm *standby, unsigned intid)
{
	if (intid != standby->machine->takeover_intid || !standby->paused)
		return;
	STAMP(fails_over, probe_read());
	vm_fail_over(standby->machine->partner);
	STAMP(paused, probe_read());
}

/* Return whether a more urgent VM than `owner` has the core and is not the sender. */
static inline bool is_outranked(const struct vcpu *owner, const struct virtio_net *net)
{
	const struct vcpu *running = sched_next();

	return running != owner && running && running->vm != net->sender &&
	       running->urgency > owner->urgency && owner->state != VCPU_STATE_OFF;
}

/* Frames for `owner` wait until it has the core. The kick stays pending, so that no other kick
 * exits before. */
static __cold void hold_kick(struct vcpu *owner, unsigned kick)
{
	gic_disable(kick);
	gic_set_pending(kick);
	owner->held_spi = kick;
	owner->load_work |= VCPU_HOLDS_SPI;
	sched_wake(owner);
}

/* Deactivate first, so that a later kick is not lost. */
static __attribute__((noinline)) bool take_kick(uint32_t iar)
{
	struct vcpu *owner = vm_core_kicked(gic_intid(iar));
	struct virtio_net *net;

	if (!owner)
		return false;
	gic_deactivate(iar);
	net = owner->vm->machine->net;
	if (is_outranked(owner, net))
		hold_kick(owner, gic_intid(iar));
	else
		virtio_net_kicked(net);
	return true;
}

/* Handle an interrupt of the console, of a vCPU that is not loaded, or of a device. Disable any
 * other interrupt, which would be signalled for ever. */
static __cold void take_for_unloaded(uint32_t iar)
{
	unsigned intid = gic_intid(iar);
	struct vcpu *owner = vm_core_owner(intid);

	gic_drop(iar); /* as in trap_forward_at_once() */
	if (intid == console_intid()) {
		vpl011_receive();
		gic_deactivate(iar);
	} else if (owner) {
		vgic_inject_unloaded(&owner->vgic, &owner->gic, &owner->vgic.virq[intid]);
		take_over(owner->vm, intid);
		sched_wake(owner);
	} else if (!take_kick(iar) && !vm_gic_send_on(iar)) {
		gic_disable(intid);
		gic_deactivate(iar);
	}
}

__cold struct vcpu *trap_forward_slowly(struct vcpu *vcpu, uint32_t iar, struct virq *virq)
{
	gic_drop(iar);
	vgic_inject(&vcpu->vgic, virq);
	return vcpu;
}

static __cold struct vcpu *irq_of_others(struct vcpu *vcpu, uint32_t iar)
{
	struct virq *virq = trap_virq(vcpu, iar);

	if (virq)
		return trap_forward_slowly(vcpu, iar, virq);
	if (gic_intid(iar) >= GIC_SPECIAL_BASE)
		return vcpu; /* no longer pending */
	if (smp_is_kick(gic_intid(iar)))
		return kicked(vcpu, iar);
	take_for_unloaded(iar);
	return sched_next();
}

/* timerq_expire() programs CNTHP, which lowers its line before the next acknowledge. */
static __attribute__((noinline)) struct vcpu *expire_timers(uint32_t iar)
{
	gic_end(iar);
	timerq_expire();
	return sched_next();
}

static __attribute__((noinline)) struct vcpu *maintain(struct vcpu *vcpu, uint32_t iar)
{
	vgic_maintain(&vcpu->vgic);
	gic_end(iar);
	return vcpu;
}

__attribute__((noinline)) struct vcpu *trap_irq_own(struct vcpu *vcpu, uint32_t iar)
{
	unsigned intid = gic_intid(iar);

	if (intid == board.hyp_timer_intid)
		return expire_timers(iar);
	if (intid == board.maintenance_intid)
		return maintain(vcpu, iar);
	return irq_of_others(vcpu, iar);
}

__cold bool trap_irq_idle(void)
{
	uint32_t iar = gic_ack();

	if (smp_is_kick(gic_intid(iar)) || gic_intid(iar) == board.maintenance_intid) {
		gic_end(iar);
	} else if (gic_intid(iar) == board.hyp_timer_intid) {
		expire_timers(iar);
	} else if (gic_intid(iar) < GIC_SPECIAL_BASE) {
		take_for_unloaded(iar);
	} else {
		return false;
	}
	return true;
}

struct vcpu *trap_irq(struct vcpu *vcpu)
{
	return trap_irq_acked(vcpu, gic_ack());
}

/* --- synchronous exits --- */

static struct vcpu *on_hvc(struct vcpu *vcpu, uint32_t esr)
{
	return trap_hvc(vcpu, (uint32_t)vcpu->frame.x[0]);
}

/* The core lacks this system register or instruction. An unmodified guest probes for them; the
 * bench guest uses them only by mistake. */
static __cold struct vcpu *undefined(struct vcpu *vcpu, uint32_t esr)
{
	if (!vcpu->vm->type->injects)
		return stop(vcpu, FAULT_UNHANDLED_TRAP, esr);
	trap_inject_undefined();
	return vcpu;
}

/* The guest has no firmware, so every function is unknown (SMCCC 5.2). */
static struct vcpu *on_smc(struct vcpu *vcpu, uint32_t esr)
{
	vcpu->vm->smc_count++;
	return done(vcpu_result(vcpu, -1));
}

/* An unmodified guest may call PSCI by SMC. */
static struct vcpu *on_smc_psci(struct vcpu *vcpu, uint32_t esr)
{
	vcpu->vm->smc_count++;
	return psci(done(vcpu));
}

/* A vCPU with a pending interrupt does not block. */
static struct vcpu *on_wfx(struct vcpu *vcpu, uint32_t esr)
{
	struct vcpu *next = vcpu;

	if (!(esr & WFX_WFE) && trap_condition_passed(esr) && !vgic_anything_pending(&vcpu->vgic))
		next = sched_block(vcpu);
	trap_skip_instruction();
	return next;
}

/* The guest executes the instruction again, without a trap. */
static struct vcpu *on_fp(struct vcpu *vcpu, uint32_t esr)
{
	return fp_first_use(&vcpu->fp) ? vcpu : stop(vcpu, FAULT_UNHANDLED_TRAP, esr);
}

static __cold struct vcpu *on_debug(struct vcpu *vcpu, uint32_t esr)
{
	return debug_emulate(vcpu, esr) ? done(vcpu) : undefined(vcpu, esr);
}

static __attribute__((noinline)) struct vcpu *on_rare_sysreg(struct vcpu *vcpu, uint32_t esr)
{
	return sysreg_emulate(vcpu, esr) ? done(vcpu) : on_debug(vcpu, esr);
}

static struct vcpu *on_sysreg(struct vcpu *vcpu, uint32_t esr)
{
	return sysreg_emulate_at_once(vcpu, esr) ? done(vcpu) : on_rare_sysreg(vcpu, esr);
}

/*
 * Load and store are two functions, so that neither keeps registers across the call that only the
 * other needs.
 */
static __attribute__((noinline)) struct vcpu *device_load(struct vcpu *vcpu, uint32_t esr,
							  uint32_t offset,
							  const struct mmio_region *region)
{
	reg_t value = region->read(vcpu, offset, abort_size(esr), region->state);

	frame_write(&vcpu->frame, DABT_SRT(esr), abort_load_value(esr, value));
	return done(vcpu);
}

static __attribute__((noinline)) struct vcpu *device_store(struct vcpu *vcpu, uint32_t esr,
							   uint32_t offset,
							   const struct mmio_region *region)
{
	reg_t value;

	if (!trap_skip_store())
		return stop(vcpu, FAULT_MMIO_THUMB_STORE, esr);
	value = abort_store_value(esr, frame_read(&vcpu->frame, DABT_SRT(esr)));
	region->write(vcpu, offset, abort_size(esr), value, region->state);
	return vcpu;
}

/* Ignore a store to a read-only mapping. Without a valid syndrome the instruction may write a
 * register back (STP). HPFAR_EL2 is UNKNOWN here (DDI 0487 D13.2.55). */
static struct vcpu *on_rom_write(struct vcpu *vcpu, uint32_t esr)
{
	if (!(esr & DABT_ISV))
		return stop(vcpu, FAULT_MMIO_SYNDROME, esr);
	vcpu->vm->rom_writes++;
	return done(vcpu);
}

/* Abort the guest's access, or stop the VM. The address has no mapping, or the instruction that
 * accesses a device cannot be emulated (FAULT_MMIO_SYNDROME). Cache maintenance of an address
 * without a mapping has no effect. */
static __cold struct vcpu *abort_or_stop(struct vcpu *vcpu, uint32_t esr, enum fault_reason reason)
{
	bool access = ESR_EC(esr) == EC_DABT_LOW && !(esr & DABT_S1PTW);
	bool of_device = reason == FAULT_MMIO_SYNDROME && !(esr & (DABT_CM | DABT_S1PTW));

	if (vcpu->vm->machine->fails_over)
		return fail_over_or_stop(vcpu, reason, esr);
	if (!vcpu->vm->type->injects || reason == FAULT_SERROR || of_device)
		return stop(vcpu, reason, esr);
	if (access && (esr & DABT_CM))
		return done(vcpu);
	if (access && abort_is_protected(esr) && (esr & DABT_WNR))
		return on_rom_write(vcpu, esr);
	return trap_inject_abort(esr) ? vcpu : stop(vcpu, reason, esr);
}

/*
 * fill=lazy: map guest RAM at the first access; the guest executes the instruction again. A stage-1
 * walk and cache maintenance fault like any access. Only a translation fault can be ended by a
 * mapping.
 */
static __cold struct vcpu *fill_or_stop(struct vcpu *vcpu, uint32_t esr, ipa_t ipa,
					enum fault_reason reason)
{
	if (!abort_is_unmapped(esr) || !stage2_lazy_fault(&vcpu->vm->lazy, ipa))
		return abort_or_stop(vcpu, esr, reason);
	vcpu->exit_start |= EXIT_MAPPED;
	return vcpu;
}

static __cold struct vcpu *not_emulated(struct vcpu *vcpu, uint32_t esr, ipa_t ipa)
{
	if (vm_region_at(vcpu->vm, ipa) && abort_is_unmapped(esr))
		return abort_or_stop(vcpu, esr, FAULT_MMIO_SYNDROME);
	return fill_or_stop(vcpu, esr, ipa,
			    ABT_FSC(esr) == FSC_ASYNC_EXTERNAL ? FAULT_SERROR : FAULT_DATA_ABORT);
}

static __attribute__((noinline)) struct vcpu *distributor_store(struct vcpu *vcpu, uint32_t offset,
								uint32_t value)
{
	vgicd_write(vcpu, offset, sizeof(value), value, NULL);
	return vcpu;
}

static inline struct vcpu *device_access(struct vcpu *vcpu, uint32_t esr, uint32_t offset,
					 const struct mmio_region *region)
{
	return esr & DABT_WNR ? device_store(vcpu, esr, offset, region)
			      : device_load(vcpu, esr, offset, region);
}

/* The short paths of the distributor need no stack: every call is inlined or a tail call. */
static inline struct vcpu *distributor_store_word(struct vcpu *vcpu, uint32_t esr, uint32_t offset)
{
	uint32_t value;

	if (!trap_skip_store())
		return stop(vcpu, FAULT_MMIO_THUMB_STORE, esr);
	value = (uint32_t)frame_read(&vcpu->frame, DABT_SRT(esr));
	if (vgicd_write_at_once(vcpu, offset, value))
		return vcpu;
	return distributor_store(vcpu, offset, value);
}

static inline struct vcpu *distributor_load_word(struct vcpu *vcpu, uint32_t esr, uint32_t offset)
{
	uint32_t value;

	if (__builtin_expect(!vgicd_read_at_once(offset, &value), false))
		return device_load(vcpu, esr, offset, vcpu->vm->region);
	frame_write(&vcpu->frame, DABT_SRT(esr), value);
	return done(vcpu);
}

static __cold struct vcpu *distributor_not_emulated(struct vcpu *vcpu, uint32_t esr,
						    uint32_t offset)
{
	return not_emulated(vcpu, esr, vcpu->gicd_base + offset);
}

static inline struct vcpu *distributor_access(struct vcpu *vcpu, uint32_t esr, uint32_t offset)
{
	if (__builtin_expect(abort_is_emulated_word(esr), true))
		return esr & DABT_WNR ? distributor_store_word(vcpu, esr, offset)
				      : distributor_load_word(vcpu, esr, offset);
	if (!abort_is_emulated(esr))
		return distributor_not_emulated(vcpu, esr, offset);
	return device_access(vcpu, esr, offset, vcpu->vm->region);
}

static struct vcpu *on_data_abort(struct vcpu *vcpu, uint32_t esr)
{
	ipa_t ipa = trap_fault_ipa(false);
	ipa_t offset = ipa - vcpu->gicd_base;
	const struct mmio_region *region;

	if (__builtin_expect(offset < vcpu->gicd_size, true))
		return distributor_access(vcpu, esr, (uint32_t)offset);
	region = vm_region_from(vcpu->devices, ipa);
	if (!region || !abort_is_emulated(esr))
		return not_emulated(vcpu, esr, ipa);
	return device_access(vcpu, esr, (uint32_t)(ipa - region->base), region);
}

static struct vcpu *on_prefetch_abort(struct vcpu *vcpu, uint32_t esr)
{
	return fill_or_stop(vcpu, esr, trap_fault_ipa(true), FAULT_PREFETCH_ABORT);
}

/* X(class, handler, kind of exit) */
#define EXCEPTION_CLASSES(X, on_smc)                                                               \
	X(EC_WFX, on_wfx, WFI)                                                                     \
	X(EC_CP15_32, on_sysreg, SYSREG)                                                           \
	X(EC_CP15_64, on_sysreg, SYSREG)                                                           \
	X(EC_CP14_32, on_debug, SYSREG)                                                            \
	X(EC_CP14_LDC, undefined, OTHER)                                                           \
	X(EC_CP10_ID, undefined, OTHER)                                                            \
	X(EC_PAUTH, undefined, OTHER)                                                              \
	X(EC_CP14_64, on_debug, SYSREG)                                                            \
	X(EC_SVE, undefined, OTHER)                                                                \
	X(EC_SME, undefined, OTHER)                                                                \
	X(EC_FP, on_fp, FP)                                                                        \
	X(EC_SYSREG, on_sysreg, SYSREG)                                                            \
	X(EC_HVC32, on_hvc, HVC)                                                                   \
	X(EC_HVC64, on_hvc, HVC)                                                                   \
	X(EC_SMC32, on_smc, SMC)                                                                   \
	X(EC_SMC64, on_smc, SMC)                                                                   \
	X(EC_IABT_LOW, on_prefetch_abort, STAGE2_FAULT)                                            \
	X(EC_DABT_LOW, on_data_abort, STAGE2_FAULT)

#define X(class, handler, kind) [class] = handler,
trap_handler *const traps_bench[64] = { EXCEPTION_CLASSES(X, on_smc) };
trap_handler *const traps_unmodified[64] = { EXCEPTION_CLASSES(X, on_smc_psci) };
#undef X

#define X(class, handler, kind) [class] = EXIT_STAT(EXIT_##kind),
const uint32_t trap_class_stat[TRAP_CLASS_MMIO + 2] = {
	EXCEPTION_CLASSES(X, NULL)[TRAP_CLASS_MMIO] = EXIT_STAT(EXIT_MMIO_READ),
	[TRAP_CLASS_MMIO + 1] = EXIT_STAT(EXIT_MMIO_WRITE),
};
#undef X

struct vcpu *trap_sync(struct vcpu *vcpu)
{
	uint32_t esr = (uint32_t)read_esr_el2();
	trap_handler *handle = vcpu->traps[ESR_EC(esr)];

	return handle ? handle(vcpu, esr) : stop(vcpu, FAULT_UNHANDLED_TRAP, esr);
}

struct vcpu *trap_serror(struct vcpu *vcpu)
{
	return stop(vcpu, FAULT_SERROR, (uint32_t)read_esr_el2());
}

const char *volatile hyp_exception_means;

_Noreturn void hyp_exception(reg_t vector)
{
	static const char *const name[] = {
		"exception in the hypervisor: synchronous",
		"exception in the hypervisor: IRQ",
		"exception in the hypervisor: FIQ",
		"exception in the hypervisor: SError",
	};

	if (hyp_exception_means)
		record_give_up("self-check", hyp_exception_means);
	panic(name[vector & 3]);
}
