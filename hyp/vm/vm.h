/* SPDX-License-Identifier: Apache-2.0 */
/* A virtual machine: memory, devices, its vCPUs, and how its run ended. */
#pragma once

#include "abi/exit_kind.h"
#include "hyp/mem/stage2.h"
#include "hyp/mem/stage2_lazy.h"
#include "hyp/vcpu/vcpu.h"
#include "hyp/vm/machine.h"
#include "hyp/vm/vgicd.h"

enum vm_outcome {
	VM_ABSENT,
	VM_LEAVING, /* an event destroys the VM: hyp/vm/vm_work.h */
	VM_CREATED, /* created, or stopped */
	VM_RUNNING, /* running, or paused */
	VM_RESET,   /* the VM restarts, or an event makes it anew: hyp/vm/vm_work.h */
	/* The ends of a VM, from good to bad: */
	VM_DONE,
	VM_REFUSED,
	VM_FAILED,
	VM_CRASHED,
	VM_FAULT,
};

#define VM_REGION_MAX 6

/* The limit of a VM without one. gem5 counts time in 64 bits of ps: there, a deadline beyond those
 * at 1 GHz is due at once. */
#define VM_NO_LIMIT (1ull << 54)

/* Progress of vm_type.reset(), or before that of the building of stage 2. */
struct vm_progress {
	uint32_t image;
	uint64_t done;   /* finished bytes of the image */
	uint64_t mapped; /* mapped bytes of RAM */
	uint64_t ticks;  /* time to build stage 2 */
	pte_t *filler;   /* filler of the flash: stage2_filler() */
};

/* A record about the VM that is printed in pieces: hyp/vm/vm_report.h. */
struct vm_report {
	struct vcpu *vcpu; /* vCPU that prints the record; NULL: there is none to print */
	/* of a fault */
	enum fault_reason reason;
	uint32_t esr;
	reg_t pc;
	va_t va;
	ipa_t ipa;
	/* of restarts: the last number that has a record, CNTPCT at the begin of this record, and
	 * the ticks that all records took */
	uint32_t restarts;
	uint64_t begun;
	uint32_t ticks;
	unsigned members; /* number of members in `text` */
	char text[256];
	struct vcpu_record record;
};

struct vm {
	const char *name; /* name in records */
	const struct vm_type *type;
	const struct run_config *config;
	struct stage2 stage2;
	uint8_t vmid;
	uint64_t cntvoff; /* CNTPCT minus CNTVCT: vtimer_offset() */
	enum vm_outcome outcome;
	uint32_t smc_count; /* SMCs that EL2 answered instead of the firmware */
	unsigned region_count;
	struct mmio_region region[VM_REGION_MAX + 1]; /* the entry after the last one has size 0 */
	unsigned vcpu_count;
	struct vcpu *vcpu[VCPU_MAX]; /* each on a core of its own */
	struct stage2_lazy lazy;
	const struct vm_machine *machine;
	struct vgicd dist;
	uint32_t resets;     /* restarts that an unmodified guest requested */
	uint32_t rom_writes; /* stores to read-only mappings, which EL2 ignores */
	struct vm_faults {   /* number of faults that failed over; the last of them */
		uint32_t count;
		enum fault_reason reason;
		reg_t pc;
		ipa_t ipa;
	} faults;

	/* life.c, vm_core.c */
	struct page_pool tables; /* pages for stage 2 */
	pte_t stage2_root[STAGE2_INPUT_GIB] __attribute__((aligned(64)));
	struct timer limit_timer;
	uint64_t limit; /* CNTPCT at which the VM is stopped; VM_NO_LIMIT and later: never */
	struct timer heartbeat; /* HC_HEARTBEAT; on vCPU 0's core */
	struct timer net_rest;  /* hyp/dev/virtio_net.c; on vCPU 0's core */
	bool started;           /* vm_start() was called, and vm_stop() not since */
	bool booted;            /* vCPU 0 has begun, so PSCI may start vCPUs */
	bool entered;           /* the guest runs, or is about to run */
	bool paused;            /* no vCPU is turned on while this is set */
	uint32_t vcpus_on;      /* vCPUs that are on or turning on */
	uint32_t work;          /* work of a VM that restarts or is destroyed: vm_work.c; 0: none */
	bool built;             /* stage 2 is complete */
	/* vm_dismiss() was called, and the work that ends this life is not finished */
	bool dismissed;
	struct vm_progress progress;
	struct vm_report fault, restarts;
};

#define VM_MAX PLAN_VM_MAX

extern struct vm vms[VM_MAX];

/* Functions for a struct vm_type. vm_map() returns false if no page is free for a table. */
bool vm_map(struct vm *vm, ipa_t ipa, pa_t pa, uint64_t size, enum stage2_memory memory);
void vm_add_region(struct vm *vm, struct mmio_region region);

/* Stop the VM of `vcpu`, a vCPU of this core, with outcome VM_FAULT, and keep the facts of the
 * fault record (reason, syndrome, addresses). */
void vm_fault(struct vcpu *vcpu, enum fault_reason reason, uint32_t esr, va_t va, ipa_t ipa);

/* End the VM on every core. Return true for the first caller, whose outcome the VM gets. */
bool vm_end(struct vm *vm, enum vm_outcome outcome);

/* vm->work when a restart begins: no vCPU has finished the first part. */
#define VM_WORK_BEGINS (1u << VCPU_MAX)

/* Begin work. The core that has made vm->outcome VM_RESET calls this function before it sends
 * requests to the others. vm->work is 0 until then: a core that has read the last restart's
 * VM_RESET too late finds no part of this restart to finish. */
static inline void vm_begin_work(struct vm *vm)
{
	uint32_t none = 0;

	__atomic_compare_exchange_n(&vm->work, &none, VM_WORK_BEGINS, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
}

/* Return the emulated device at `ipa` among those from `region` on, or NULL. The first device of a
 * VM is its distributor if the VM has an emulated one. */
static inline const struct mmio_region *vm_region_from(const struct mmio_region *region, ipa_t ipa)
{
	uint32_t size = region->size;

	/* bound: VM_REGION_MAX: the last region has size 0. */
	do {
		if (__builtin_expect(ipa - region->base < size, true))
			return region;
		size = (++region)->size;
	} while (size);
	return NULL;
}

static inline const struct mmio_region *vm_region_at(const struct vm *vm, ipa_t ipa)
{
	return vm_region_from(vm->region, ipa);
}

static inline bool vm_has_stage2(const struct vm *vm)
{
	return vm->config->stage2 != STAGE2_OFF;
}

static inline enum vm_outcome vm_outcome(const struct vm *vm)
{
	return __atomic_load_n(&vm->outcome, __ATOMIC_ACQUIRE);
}
