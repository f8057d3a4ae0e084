/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of a VM, emulated devices too, and the start of its guest: for life.c. */
#pragma once

#include "abi/guest_run.h"
#include "abi/plan.h"
#include "arch/types.h"
#include "drivers/gic/gic.h"
#include "hyp/mem/guest_ram.h"
#include "hyp/vcpu/vcpu.h"

struct vm;
struct doorbell;
struct virtio_net;

/*
 * An emulated device with its own `state`. `offset` is into the region, `size` 1, 2, 4 or 8 bytes;
 * the access lies anywhere, also across the end of a register. A register that is not there reads
 * as 0 and ignores writes.
 */
struct mmio_region {
	ipa_t base;
	uint32_t size;
	bool distributor; /* trap.c has short paths for accesses to words of it */
	reg_t (*read)(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state);
	void (*write)(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value, void *state);
	void *state;
	const char *name; /* for the record of a fault */
};

/* Whether the building of stage 2 has come to its end, or the tables are used up. */
enum vm_build { VM_BUILD_FAILED, VM_BUILD_MORE, VM_BUILD_DONE };

/* How exits are handled, and what else is the guest's kind alone. */
struct vm_type {
	trap_handler *const *traps;   /* by exception class */
	hypercall *const *hypercalls; /* by number */
	bool injects;     /* what is not there raises an exception at EL1; else it ends the VM */
	bool ends_itself; /* by PSCI's SYSTEM_OFF and SYSTEM_RESET */
	bool no_gic;      /* no interrupt reaches it */
	/* GICv2: a write to GICC_DIR exits, so that it ends the right interrupt though more are
	 * active than there are list registers. */
	bool traps_dir;

	/* Add the devices beside RAM and GIC; only with stage 2. One piece of bounded length, from
	 * vm->progress.image on, 0 at first. */
	enum vm_build (*add_devices)(struct vm *vm);
	/* One piece of bounded length, from vm->progress on, all zero at first: its images to its
	 * RAM, and in memory, since the guest begins with its caches off. The last piece, after
	 * which it returns false, makes the devices as at reset and sets vm->cntvoff. */
	bool (*reset)(struct vm *vm);
	/* General registers of vCPU 0, which are 0 before. */
	void (*set_registers)(struct vcpu *vcpu);
	void (*starting)(struct vm *vm); /* the last thing before its first instruction */
	void (*restarts)(struct vm *vm); /* its devices fall silent, before reset() or the end */
	void (*stopped)(struct vm *vm);  /* the same after its last one, on core 0 */
};

struct vm_machine {
	struct guest_ram ram;
	struct gic_bases gic; /* where it finds the distributor, and `cpu` or `redist` */
	unsigned cpus;
	unsigned spi_first, spi_count;     /* physical SPIs that are its own */
	unsigned raise_first, raise_count; /* physical SPIs that it can pend: HC_RAISE */
	uintptr_t entry;
	bool shares_console; /* with another VM */
	bool unlinked;       /* lr=hw does not link its list registers to physical interrupts */
	/* How often it went round its loop, while no vCPU is loaded: of a VM that never ends by
	 * itself. Else NULL. */
	uint32_t (*rounds)(const struct vm *vm);
	struct vm *partner;  /* that this VM's core goes to when it fails; NULL: none */
	bool fails_over;     /* an abort that would end this VM does so */
	struct vm *commands; /* of a control VM: the active VM of its pair; else NULL */
	/* A physical SPI of the standby, 0: none. While the standby is paused, its arrival fails
	 * over. */
	unsigned takeover_intid;
	const struct vm_type *type;
	void (*leaves)(const struct vm *vm); /* a life ends by an event: keep what is known of it */

	struct guest_run run;          /* of the bench guest */
	void *device;                  /* its null device */
	struct doorbell *doorbell;     /* its end of a link of that kind; NULL: none */
	struct virtio_net *net;        /* the same */
	unsigned link_intid;           /* a physical SPI of this end; 0: none */
	unsigned kick_intid;           /* the same, which EL2 handles */
	const struct plan_guest *plan; /* of an unmodified guest */
};
