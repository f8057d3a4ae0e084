/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One end of a link between two VMs: shared memory, and a doorbell (abi/link.h). A ring pends a
 * physical SPI of the other VM, so it reaches that VM as a device's interrupt does, on whichever
 * core, loaded or not, and EL2 keeps nothing of it. Where a VM that measures has the distributor
 * (irq=direct), a ring posts a virtual SPI to the other VM instead, which is there
 * for as long: a plan with events wants irq=trapped, and all VMs stop before one is made anew.
 *
 * A ring costs the other VM an interrupt. A VM that rings again before the other VM has rung gets
 * one ring in DOORBELL_REST_US through: rings that come in such a rest are one ring at the end of
 * the rest, by a timer of the core that rang.
 */
#pragma once

#include "hyp/vm/machine.h"

#define DOORBELL_REST_US 20u

struct doorbell {
	ipa_t base;                   /* of the link, and its physical address */
	unsigned rings;               /* INTID of the other VM's SPI */
	struct vm *to;                /* whose SPI is virtual; NULL: it is physical */
	const struct doorbell **last; /* of the link: the end that rang last */
	uint64_t rests_until;         /* CNTPCT: no ring without an answer passes before */
	uintptr_t pends;              /* the register, and the bit, that pend a physical SPI */
	uint32_t bit;
};

/* Add the register and the window to the VM, which has stage 2. False: no room in the tables. */
bool doorbell_add(struct vm *vm, struct doorbell *end);
