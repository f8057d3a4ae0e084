/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a VM has, and how its guest is started: vm.c makes it so, and makes no difference between
 * our own guest (vm_own.c) and one from elsewhere (vm_image.c), which are two fillings of this.
 */
#pragma once

#include "abi/guest_run.h"
#include "abi/plan.h"
#include "arch/types.h"
#include "drivers/gic/gic.h"

struct vm;
struct vcpu;

struct vm_machine {
	ipa_t ram; /* 2 MiB aligned, and so is ram_pa */
	pa_t ram_pa;
	uint64_t ram_size;
	struct gic_bases gic; /* where it finds the distributor, and `cpu` or `redist` */
	unsigned cpus;
	unsigned spi_first, spi_count; /* physical SPIs that are its own */
	/* not of our own making: no hypercalls but PSCI, and it may want what is not there */
	bool foreign;
	bool external_aborts; /* an access to nothing is one at EL1, not the end of the VM */
	uintptr_t entry;

	/* What it has beside RAM and GIC; only with stage 2. False: no room in the tables. */
	bool (*add_devices)(struct vm *vm);
	/* Its devices as at reset; its images to its RAM, and in memory: it begins with its caches
	 * off. */
	void (*reset)(struct vm *vm);
	/* General registers of vCPU 0, which are 0 before. */
	void (*set_registers)(struct vcpu *vcpu);
	void (*starting)(void);         /* the last thing before its first instruction */
	void (*stopped)(struct vm *vm); /* behind its last one */

	struct guest_run run;          /* of our own */
	const struct plan_guest *plan; /* of one that is not */
};

/* The guest image embedded in ours is one that fits this board; else says why not. */
bool vm_own_check(const char **why);

/* Our own guest, which is told `run`. */
void vm_own(struct vm_machine *machine, const struct guest_run *run);

/* The guest that `plan` describes, on a machine that looks like QEMU's virt; with stage 2 off it
 * has the board as it is. False: not on this board, says why not. */
bool vm_image(struct vm_machine *machine, const struct plan_guest *plan,
	      const struct run_config *config, const char **why);
