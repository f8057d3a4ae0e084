/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/psci.h"

#include "hyp/arch/guest.h"
#include "hyp/cpu/smp.h"
#include "hyp/sched/sched.h"
#include "hyp/vm/vm.h"
#include "lib/bits.h"

#define SMCCC_64 (1u << 30) /* bit of a function id with 64-bit arguments (DEN0028 2.5) */

#define PSCI_BASE 0x84000000u
#define PSCI_SYSTEM_RESET (PSCI_BASE + 9)
#define PSCI_VERSION_1_1 0x10001
#define NO_TRUSTED_OS 2 /* MIGRATE_INFO_TYPE: no migration */

#define SMCCC_VERSION 0x80000000u
#define SMCCC_ARCH_FEATURES 0x80000001u
#define SMCCC_VERSION_1_1 0x10001

/* CPU_SUSPEND's power_state in the original format (5.4.2): StateType, and bits that must be 0. */
#define SUSPEND_POWERDOWN (1u << 16)
#define SUSPEND_RESERVED 0xfcfe0000u

#define AFFINITY_ON 0
#define AFFINITY_OFF 1
#define AFFINITY_ON_PENDING 2

static uint32_t function_id(const struct vcpu *vcpu)
{
	return (uint32_t)vcpu->frame.x[0];
}

static reg_t argument(const struct vcpu *vcpu, unsigned n)
{
	reg_t value = vcpu->frame.x[n];

	return function_id(vcpu) & SMCCC_64 ? value : (uint32_t)value;
}

/* Return the vCPU with this affinity, 0.0.0.index, or NULL. */
static struct vcpu *vcpu_at(const struct vm *vm, reg_t affinity)
{
	return affinity < vm->vcpu_count ? vm->vcpu[affinity] : NULL;
}

/* Return whether a vCPU can begin at `entry`: in RAM, at an instruction. */
static bool entry_ok(const struct vm *vm, reg_t entry)
{
	const struct vm_machine *machine = vm->machine;

	return ram_holds(&machine->ram, entry, 1) && cpu_entry_aligned(entry);
}

static struct vcpu *version(struct vcpu *vcpu)
{
	return vcpu_result(vcpu, PSCI_VERSION_1_1);
}

static struct vcpu *migrate_info_type(struct vcpu *vcpu)
{
	return vcpu_result(vcpu, NO_TRUSTED_OS);
}

/*
 * A power-down state loses the state that a core loses. The vCPU's timers continue and can wake it.
 */
static struct vcpu *cpu_suspend(struct vcpu *vcpu)
{
	reg_t state = argument(vcpu, 1);
	reg_t entry = argument(vcpu, 2);

	if (state & SUSPEND_RESERVED)
		return vcpu_result(vcpu, PSCI_INVALID_PARAMETERS);
	if ((state & SUSPEND_POWERDOWN) && !entry_ok(vcpu->vm, entry))
		return vcpu_result(vcpu, PSCI_INVALID_ADDRESS);
	if (!(state & SUSPEND_POWERDOWN)) {
		vcpu_result(vcpu, PSCI_SUCCESS);
	} else {
		cpu_reset_but_timers(vcpu, entry, argument(vcpu, 3));
		if (vcpu->vm->config->irq == IRQ_TRAPPED)
			gic_virt_cpu_reset();
	}
	return vgic_anything_pending(&vcpu->vgic) ? vcpu : sched_block(vcpu);
}

/* Turn the vCPU off. The last vCPU that is on stays on, because no vCPU could turn it on again. The
 * core's loop does the rest: vm_core_off(). */
static struct vcpu *cpu_off(struct vcpu *vcpu)
{
	uint32_t *on = &vcpu->vm->vcpus_on;

	if (__atomic_sub_fetch(on, 1, __ATOMIC_RELAXED)) {
		sched_remove(vcpu);
		return NULL;
	}
	__atomic_fetch_add(on, 1, __ATOMIC_RELAXED);
	return vcpu_result(vcpu, PSCI_DENIED);
}

static struct vcpu *cpu_on(struct vcpu *vcpu)
{
	struct vcpu *target = vcpu_at(vcpu->vm, argument(vcpu, 1));
	reg_t entry = argument(vcpu, 2);
	uint32_t power = VCPU_OFF;

	if (!target)
		return vcpu_result(vcpu, PSCI_INVALID_PARAMETERS);
	if (!entry_ok(vcpu->vm, entry))
		return vcpu_result(vcpu, PSCI_INVALID_ADDRESS);
	if (!__atomic_compare_exchange_n(&target->power, &power, VCPU_CLAIMED, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return vcpu_result(vcpu, power == VCPU_ON ? PSCI_ALREADY_ON : PSCI_ON_PENDING);
	__atomic_fetch_add(&vcpu->vm->vcpus_on, 1, __ATOMIC_RELAXED);
	target->start_entry = entry;
	target->start_context = argument(vcpu, 3);
	__atomic_store_n(&target->power, VCPU_STARTING, __ATOMIC_RELEASE);
	smp_ask(target->core);
	return vcpu_result(vcpu, PSCI_SUCCESS);
}

static struct vcpu *affinity_info(struct vcpu *vcpu)
{
	static const uint8_t info[] = {
		[VCPU_OFF] = AFFINITY_OFF,
		[VCPU_CLAIMED] = AFFINITY_ON_PENDING,
		[VCPU_STARTING] = AFFINITY_ON_PENDING,
		[VCPU_ON] = AFFINITY_ON,
	};
	const struct vcpu *target = vcpu_at(vcpu->vm, argument(vcpu, 1));

	if (!target || argument(vcpu, 2) != 0) /* PSCI 0.2 had levels of clusters */
		return vcpu_result(vcpu, PSCI_INVALID_PARAMETERS);
	return vcpu_result(vcpu, info[__atomic_load_n(&target->power, __ATOMIC_ACQUIRE)]);
}

/* SYSTEM_OFF, SYSTEM_RESET. The bench guest ends its step by a hypercall. */
static struct vcpu *system_end(struct vcpu *vcpu)
{
	if (vcpu->vm->type->ends_itself)
		vm_end(vcpu->vm, function_id(vcpu) == PSCI_SYSTEM_RESET ? VM_RESET : VM_DONE);
	else
		vm_fault(vcpu, FAULT_BAD_EXIT, 0, 0, 0);
	return NULL;
}

static struct vcpu *features(struct vcpu *vcpu);

/* Functions by number, from PSCI_BASE on; NULL: not supported. */
static hypercall *const functions[] = {
	version,           cpu_suspend, cpu_off,    cpu_on,     affinity_info, NULL,
	migrate_info_type, NULL,        system_end, system_end, features,
};
/* Bit n: function n also has 64-bit arguments: CPU_SUSPEND, CPU_ON, AFFINITY_INFO. */
#define HAS_64 (BIT(1) | BIT(3) | BIT(4))

/* Return the function of an id. AArch32 has no 64-bit calls. */
static inline hypercall *function_of(uint32_t id)
{
	bool wide = sizeof(reg_t) == 8 && (id & SMCCC_64);
	uint32_t number = (wide ? id & ~SMCCC_64 : id) - PSCI_BASE;

	if (number >= ARRAY_SIZE(functions) || (wide && !(HAS_64 >> number & 1)))
		return NULL;
	return functions[number];
}

/* PSCI_FEATURES, SMCCC_ARCH_FEATURES. The 0 of CPU_SUSPEND means that power_state has its original
 * format and each core chooses its states alone. */
static __attribute__((noinline)) struct vcpu *features(struct vcpu *vcpu)
{
	uint32_t id = (uint32_t)argument(vcpu, 1);
	bool known = function_id(vcpu) == SMCCC_ARCH_FEATURES ? id == SMCCC_ARCH_FEATURES
							      : function_of(id) != NULL;

	return vcpu_result(vcpu, known || id == SMCCC_VERSION ? 0 : PSCI_NOT_SUPPORTED);
}

struct vcpu *psci(struct vcpu *vcpu)
{
	uint32_t id = function_id(vcpu);
	hypercall *function = function_of(id);

	if (function)
		/* calls: version cpu_suspend cpu_off cpu_on affinity_info migrate_info_type
		 * system_end features */
		return function(vcpu);
	if (id == SMCCC_ARCH_FEATURES)
		return features(vcpu);
	return vcpu_result(vcpu, id == SMCCC_VERSION ? SMCCC_VERSION_1_1 : PSCI_NOT_SUPPORTED);
}
