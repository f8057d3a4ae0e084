/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The null device of abi/null_device.h, emulated. An access narrower than a register is one to
 * some of its bytes: a load gets them, a store to SCRATCH changes them alone, a store to DATA adds
 * them at their place. One of 64 bits is two of 32. What is not there reads as 0.
 */
#pragma once

#include "abi/null_device.h"
#include "arch/types.h"

struct vcpu;

struct null_device {
	uint32_t word[NULL_DEVICE_SUM / 4 + 1]; /* by offset; that of DATA stays 0 */
};

/* Where the device is for every guest: a page of the hypervisor's own, which is what a guest finds
 * there without stage 2. With stage 2 nothing maps it. */
uintptr_t null_device_base(void);

/* All registers 0, and the page too, in memory: a guest accesses it as a device. */
void null_device_reset(struct null_device *device);

/* For struct mmio_region, whose state is a struct null_device. */
uint64_t null_device_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state);
void null_device_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value,
		       void *state);
