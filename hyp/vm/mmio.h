/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that a guest believes to have: a list of IPA ranges, each with a function. */
#pragma once

#include "arch/types.h"

struct vcpu;

/*
 * An emulated device with its own `state`. `offset` is into the region, `size` 1, 2, 4 or 8 bytes;
 * the access lies anywhere, also across the end of a register. A register that is not there reads
 * as 0 and ignores writes.
 */
struct mmio_region {
	ipa_t base;
	uint64_t size;
	uint64_t (*read)(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state);
	void (*write)(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value,
		      void *state);
	void *state;
	const char *name; /* for the record of a fault */
};
