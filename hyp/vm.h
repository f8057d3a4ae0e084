/* SPDX-License-Identifier: Apache-2.0 */
/* A virtual machine: memory, devices, its vCPUs, and how its run ended. */
#pragma once

#include "abi/exit_kind.h"
#include "abi/guest_run.h"
#include "hyp/mmio.h"
#include "hyp/null_device.h"
#include "hyp/stage2.h"
#include "hyp/stage2_lazy.h"
#include "hyp/vcpu.h"
#include "hyp/vdist.h"

enum vm_outcome { VM_RUNNING, VM_DONE, VM_REFUSED, VM_FAILED, VM_CRASHED, VM_FAULT };

#define VM_REGION_MAX 4

struct vm {
	const struct run_config *config;
	struct stage2 stage2;
	uint8_t vmid;
	uint64_t cntvoff; /* CNTVCT is this far behind CNTPCT: vtimer_offset() */
	enum vm_outcome outcome;
	uint32_t smc_count; /* SMCs answered instead of the firmware */
	unsigned region_count;
	struct mmio_region region[VM_REGION_MAX];
	struct null_device null_device;
	unsigned vcpu_count;
	struct vcpu *vcpu[VCPU_MAX]; /* one a core: vCPU n on core n */
	struct stage2_lazy lazy;
	struct vdist dist;
};

/* The guest image embedded in ours is one that fits this board; else says why not. */
bool vm_check_image(const char **why);

/* Runs the guest from its start to its end under `config`; `run` is what it is told. Sets
 * vm->outcome; emits the records of a fault. Returns the ticks from the first instruction of the
 * guest to its end. */
uint64_t vm_run(struct vm *vm, const struct run_config *config, const struct guest_run *run,
		uint32_t limit_ms);

/* The guest is to stop: a fault record (reason, syndrome, addresses), outcome VM_FAULT. */
void vm_fault(struct vm *vm, enum fault_reason reason, uint32_t esr, va_t va, ipa_t ipa);

extern struct vm vm_under_test;
