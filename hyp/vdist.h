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

uint64_t vdist_gicd_read(struct vcpu *vcpu, uint32_t offset, unsigned size);
void vdist_gicd_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value);
uint64_t vdist_gicr_read(struct vcpu *vcpu, uint32_t offset, unsigned size);
void vdist_gicr_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value);

/* A write to ICC_SGI1R_EL1 (GICv3): the register's value. */
void vdist_sgi1r(struct vcpu *vcpu, uint64_t value);

/* The page of a GICv2's CPU interface that has GICC_DIR and nothing else, where it is not mapped. */
#define VDIST_DIR_SIZE 0x1000u
uint64_t vdist_dir_read(struct vcpu *vcpu, uint32_t offset, unsigned size);
void vdist_dir_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value);
