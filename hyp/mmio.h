/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that a guest believes to have: a list of IPA ranges, each with a function. */
#pragma once

#include "arch/types.h"

struct vcpu;

/* One access of a guest to an emulated device. */
struct mmio_access {
	uint32_t offset; /* into the region */
	uint8_t size; /* bytes: 1, 2, 4 or 8 */
	bool write;
	uint64_t value; /* what the guest writes; what it shall read */
};

struct mmio_region {
	ipa_t base;
	uint64_t size;
	void (*handle)(struct vcpu *vcpu, struct mmio_access *access);
};
