/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device that does nothing but be there: one page of registers of 32 bits. With stage 2 it is
 * emulated; without, a guest finds memory in its place.
 *   +0x0  SCRATCH  reads back what was written
 *   +0x4  DATA     a write counts, and adds its value to SUM
 *   +0x8  COUNT    writes to DATA since the guest started
 *   +0xc  SUM      of them
 */
#pragma once

#include "hyp/mmio.h"

/* Its address, one for every configuration. */
ipa_t null_device_base(void);

/* As after power-on. */
void null_device_reset(void);

uint64_t null_device_read(struct vcpu *vcpu, uint32_t offset, unsigned size);
void null_device_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value);
