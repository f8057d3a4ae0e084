/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The null device of abi/null_device.h, emulated. A narrow access covers some bytes of a register:
 * a load returns these bytes, a store to SCRATCH changes only these bytes, and a store to DATA adds
 * them at their place. A 64-bit access is two 32-bit accesses. Unused offsets read as 0.
 */
#pragma once

#include "abi/null_device.h"
#include "arch/types.h"

struct vcpu;

struct null_device {
	/* indexed by offset / 4; the word of DATA stays 0 */
	uint32_t word[NULL_DEVICE_SUM / 4 + 1];
};

/* Return the device's address in every guest: a page of the hypervisor, which a guest without stage
 * 2 accesses directly. No stage 2 maps the page. */
uintptr_t null_device_base(void);

/* Clear all registers, and the page in memory, which a guest accesses as a device. */
void null_device_reset(struct null_device *device);

/* Functions for struct mmio_region, whose state is a struct null_device. */
reg_t null_device_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state);
void null_device_write(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value, void *state);
