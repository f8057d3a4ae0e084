/* SPDX-License-Identifier: Apache-2.0 */
/* A virtual machine: memory, devices, its vCPUs, and how its run ended. */
#pragma once

#include "abi/exit_kind.h"
#include "hyp/mem/stage2.h"
#include "hyp/mem/stage2_lazy.h"
#include "hyp/vcpu/vcpu.h"
#include "hyp/vm/machine.h"
#include "hyp/vm/mmio.h"
#include "hyp/vm/vgicd.h"

enum vm_outcome {
	VM_RUNNING,
	VM_DONE,
	VM_REFUSED,
	VM_FAILED,
	VM_CRASHED,
	VM_FAULT,
	VM_RESET, /* of an unmodified guest: it starts again, within vm_run() */
};

#define VM_REGION_MAX 6

struct vm {
	const char *name; /* in records */
	const struct vm_type *type;
	const struct run_config *config;
	struct stage2 stage2;
	uint8_t vmid;
	uint8_t priority; /* of the vCPUs: hyp/sched/sched.h */
	uint64_t cntvoff; /* CNTVCT is this far behind CNTPCT: vtimer_offset() */
	enum vm_outcome outcome;
	uint32_t smc_count; /* SMCs answered instead of the firmware */
	unsigned region_count;
	struct mmio_region region[VM_REGION_MAX + 1]; /* the last one has size 0 */
	unsigned vcpu_count;
	struct vcpu *vcpu[VCPU_MAX];
	uint8_t core[VCPU_MAX]; /* of each vCPU; no two share one, and one has core 0 */
	struct vcpu *other;     /* another VM's, that shares the core of vCPU 0; or NULL */
	struct stage2_lazy lazy;
	const struct vm_machine *machine;
	struct vgicd dist;
	uint32_t resets;     /* of an unmodified guest: times it started again */
	uint32_t rom_writes; /* stores to what is mapped for reading, which do nothing */

	/* Several cores: vm_cores.c */
	uint64_t limit;    /* CNTPCT at which it is stopped */
	bool booted;       /* vCPU 0 has begun: from now on PSCI starts vCPUs */
	uint32_t vcpus_on; /* or about to be */
	uint32_t cores_in; /* cores beside core 0 that take part */

	const char *region_name[VM_REGION_MAX]; /* for the record of a fault */
};

/* Its vCPUs get what is theirs of its type, number and cores. */
void vm_name_vcpus(struct vm *vm);

/* For the functions of a struct vm_type. vm_map() is false where the tables are used up. */
bool vm_map(struct vm *vm, ipa_t ipa, pa_t pa, uint64_t size, enum stage2_memory memory);
void vm_add_region(struct vm *vm, const char *name, struct mmio_region region);

/* The VM of `vcpu`, which runs here, is to stop: a fault record (reason, syndrome, addresses),
 * outcome VM_FAULT. */
void vm_fault(struct vcpu *vcpu, enum fault_reason reason, uint32_t esr, va_t va, ipa_t ipa);

/* Ends the VM, on every core: true for the first to do so, whose outcome the VM gets. */
bool vm_end(struct vm *vm, enum vm_outcome outcome);
