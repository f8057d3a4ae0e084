/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of a VM with its emulated devices, and the start of its guest, for life.c. */
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
 * An emulated device with its own `state`. `offset` is the offset in the region, `size` 1, 2, 4 or
 * 8 bytes. The access may have any alignment, and may cross the end of a register. A missing
 * register reads as 0 and ignores writes.
 */
struct mmio_region {
	ipa_t base;
	uint32_t size;
	reg_t (*read)(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state);
	void (*write)(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value, void *state);
	void *state;
	const char *name; /* for the record of a fault */
};

/*
 * The result of a piece that builds stage 2: no page is free for a table, more pieces follow, or
 * all is built.
 */
enum vm_build { VM_BUILD_FAILED, VM_BUILD_MORE, VM_BUILD_DONE };

/* The handlers of exits, and other properties of a kind of guest. */
struct vm_type {
	trap_handler *const *traps;   /* handlers, by exception class */
	hypercall *const *hypercalls; /* functions, by number */
	/* an access to a missing device raises an exception at EL1; else it ends the VM */
	bool injects;
	bool ends_itself; /* the guest can end itself by PSCI's SYSTEM_OFF and SYSTEM_RESET */
	bool no_gic;      /* the guest gets no interrupts */
	/* GICv2: a write to GICC_DIR exits, so that the write ends the right interrupt although
	 * more interrupts are active than list registers exist. */
	bool traps_dir;

	/* Add the devices other than RAM and GIC; called only with stage 2. A call does one piece
	 * of bounded length, from vm->progress.image on, which is 0 at first. */
	enum vm_build (*add_devices)(struct vm *vm);
	/* Do one piece of bounded length, from vm->progress on, which is zero at first: copy the
	 * images to the VM's RAM and clean them to memory, since the guest begins with its caches
	 * off. The last piece, after which the function returns false, resets the devices and sets
	 * vm->cntvoff. */
	bool (*reset)(struct vm *vm);
	/* Set general registers of vCPU 0, which are 0 before. */
	void (*set_registers)(struct vcpu *vcpu);
	void (*starting)(struct vm *vm); /* called last before the guest's first instruction */
	/*
	 * Silence the VM's devices before reset() or the end. Called again while it returns true.
	 */
	bool (*restarts)(struct vm *vm);
	void (*stopped)(struct vm *vm); /* silence the devices after the last life, on core 0 */
};

struct vm_machine {
	struct guest_ram ram;
	/* addresses of the distributor, and of `cpu` or `redist`, in the guest */
	struct gic_bases gic;
	unsigned cpus;
	unsigned spi_first, spi_count;     /* physical SPIs that belong to the VM */
	unsigned raise_first, raise_count; /* physical SPIs that the VM can pend by HC_RAISE */
	uintptr_t entry;
	bool shares_console;   /* another VM shares the console */
	bool reports_restarts; /* a restart has a record, as no other VM is there */
	bool unlinked;         /* lr=hw links no list register of the VM to a physical interrupt */
	/* Return the number of the guest's rounds, while no vCPU is loaded. Only a VM that never
	 * ends by itself has this function; others have NULL. */
	uint32_t (*rounds)(const struct vm *vm);
	struct vm *partner;  /* VM that gets this VM's core when this VM fails; or NULL */
	bool fails_over;     /* an abort that would end this VM fails over instead */
	struct vm *commands; /* for a control VM: the active VM of its pair; else NULL */
	/* A physical SPI of the standby, or 0. Its arrival fails over while the standby is
	 * paused. */
	unsigned takeover_intid;
	const struct vm_type *type;
	void (*leaves)(const struct vm *vm); /* keep the facts of a life that an event ends */

	struct guest_run run;          /* for the bench guest */
	void *device;                  /* the bench guest's null device */
	struct doorbell *doorbell;     /* the VM's end of a doorbell link, or NULL */
	struct virtio_net *net;        /* the VM's end of a virtio link, or NULL */
	unsigned link_intid;           /* a physical SPI of this end, or 0 */
	unsigned kick_intid;           /* the SPI that EL2 handles for this end, or 0 */
	const struct plan_guest *plan; /* for an unmodified guest */
};
