/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One end of a link between two VMs: shared memory, and a doorbell (abi/link.h). A ring pends a
 * physical SPI of the other VM. The ring therefore reaches that VM as a device's interrupt does, on
 * any core, loaded or not, and EL2 keeps no state of it. If a VM that measures owns the distributor
 * (irq=direct), a ring posts a virtual SPI to the other VM instead, which must then exist: a
 * scenario with events needs irq=trapped, and all VMs stop before a VM is made anew.
 *
 * A ring costs the other VM an interrupt. If a VM rings again before the other VM has rung, one
 * ring in DOORBELL_REST_US gets through: the rings of such a rest become one ring at the end of the
 * rest, by a timer of the ringing core.
 */
#pragma once

#include "hyp/vm/machine.h"

#define DOORBELL_REST_US 20u

struct doorbell {
	ipa_t base;                   /* IPA of the link, and its physical address */
	unsigned rings;               /* INTID of the other VM's SPI */
	struct vm *to;                /* VM whose SPI is virtual; NULL: the SPI is physical */
	const struct doorbell **last; /* shared by both ends: the end that rang last */
	uint64_t rests_until;         /* CNTPCT before which no unanswered ring passes */
	uintptr_t pends;              /* the register and the bit that pend a physical SPI */
	uint32_t bit;
};

/*
 * Add the register and the window to the VM, which has stage 2. Return false if the tables have no
 * room.
 */
bool doorbell_add(struct vm *vm, struct doorbell *end);
