/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One end of a link between two VMs: shared memory, and a doorbell (abi/link.h). A ring pends a
 * physical SPI of the other VM, so it reaches that VM as a device's interrupt does, on whichever
 * core, loaded or not, and EL2 keeps nothing of it. Where a VM that measures has the distributor
 * (irq=direct), a ring posts a virtual SPI to the other VM instead, which is there
 * for as long: a plan with events wants irq=trapped, and all VMs stop before one is made anew.
 */
#pragma once

#include "hyp/vm/machine.h"

struct doorbell {
	ipa_t base;     /* of the link, and its physical address */
	unsigned rings; /* INTID of the other VM's SPI */
	struct vm *to;  /* whose SPI is virtual; NULL: it is physical */
};

/* Add the register and the window to the VM, which has stage 2. False: no room in the tables. */
bool doorbell_add(struct vm *vm, struct doorbell *end);
