/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a VM has, and how its guest is started: vm.c makes it so. A VM has one of two types, that of
 * the bench guest (vm_own.c) and that of an unmodified guest (vm_image.c).
 */
#pragma once

#include "abi/guest_run.h"
#include "abi/plan.h"
#include "arch/types.h"
#include "drivers/gic/gic.h"
#include "hyp/trap/hypercall.h"
#include "hyp/trap/trap.h"

struct vm;

/* How exits are handled, and what else is the guest's kind alone. */
struct vm_type {
	trap_handler *const *traps;   /* by exception class */
	hypercall *const *hypercalls; /* by number */
	bool injects;     /* what is not there raises an exception at EL1; else it ends the VM */
	bool ends_itself; /* by PSCI's SYSTEM_OFF and SYSTEM_RESET */
	bool numbered;    /* MPIDR is that of vCPU `index`; else the core's */

	/* What it has beside RAM and GIC; only with stage 2. False: no room in the tables. */
	bool (*add_devices)(struct vm *vm);
	/* Its devices as at reset; its images to its RAM, and in memory: it begins with its caches
	 * off. Sets vm->cntvoff. */
	void (*reset)(struct vm *vm);
	/* General registers of vCPU 0, which are 0 before. */
	void (*set_registers)(struct vcpu *vcpu);
	void (*starting)(void);         /* the last thing before its first instruction */
	void (*stopped)(struct vm *vm); /* after its last one */
};

struct vm_machine {
	ipa_t ram; /* 2 MiB aligned, and so is ram_pa */
	pa_t ram_pa;
	uint64_t ram_size;
	struct gic_bases gic; /* where it finds the distributor, and `cpu` or `redist` */
	unsigned cpus;
	unsigned spi_first, spi_count; /* physical SPIs that are its own */
	uintptr_t entry;
	const struct vm_type *type;

	struct guest_run run;          /* of the bench guest */
	const struct plan_guest *plan; /* of an unmodified guest */
};

/* The guest image embedded in ours is one that fits this board; else says why not. */
bool guest_bench_check(const char **why);

extern const struct vm_type vm_type_bench, vm_type_unmodified;

/* Our own guest, which is told `run`. */
void guest_bench(struct vm_machine *machine, const struct guest_run *run);

/* The guest that `plan` describes, on a machine that looks like QEMU's virt; with stage 2 off it
 * has the board as it is. False: not on this board, says why not. */
bool guest_unmodified(struct vm_machine *machine, const struct plan_guest *plan,
		      const struct run_config *config, const char **why);
