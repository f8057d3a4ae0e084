/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The distributor (GICv2, GICv3) and redistributor (GICv3) that a guest sees when its interrupts
 * are trapped; one vCPU. Any access size the isa knows; registers that are not there read as zero
 * and ignore writes, as the architecture has it for reserved offsets.
 */
#pragma once

#include "hyp/mmio.h"

#define VDIST_GICD_SIZE 0x10000u
#define VDIST_GICR_SIZE 0x20000u

void vdist_gicd(struct vcpu *vcpu, struct mmio_access *access);
void vdist_gicr(struct vcpu *vcpu, struct mmio_access *access);

/* A write to ICC_SGI1R_EL1 (GICv3): the register's value. */
void vdist_sgi1r(struct vcpu *vcpu, uint64_t value);
