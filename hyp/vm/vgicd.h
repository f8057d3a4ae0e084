/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The distributor (GICv2, GICv3) and the redistributors (GICv3) that a guest sees when its
 * interrupts are trapped: one security state, INTIDs 0 to VIRQ_COUNT - 1, no LPIs.
 *
 * Accesses are emulated by words. A narrower, wider or unaligned one, where the architecture leaves
 * it open, reads the bytes it covers, and writes them where a register has something to say of each
 * interrupt; registers that control the whole (CTLR, SGIR, WAKER) ignore what is not a whole word.
 * Registers that are not there read as zero and ignore writes.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"
#include "hyp/vm/mmio.h"

#define VGICD_SIZE 0x10000u
#define VGICR_SIZE 0x20000u /* of one vCPU; vCPU n's is the n-th */

/* What the guest wrote, a bit an interrupt. */
enum vgicd_bits { VGICD_ENABLED, VGICD_GROUP1, VGICD_EDGE, VGICD_BITS_COUNT };

#define VGICD_NOBODY 0xffu /* a target that no vCPU is: the interrupt stays pending */

/*
 * The registers of a VM, written by any core with atomic operations: no lock guards them. Whoever
 * writes what the distributor holds of an interrupt of another vCPU posts a reload to that vCPU.
 *
 * What is pending or active stands in the vCPUs' struct vgic: of an SPI in exactly one, that of its
 * *home*. There alone the SPI is enabled, pending, active, and forwarded from a physical SPI. With
 * a new target the home hands the SPI over (vgicd_post.c), which its own core does: at once, with
 * what is pending; or after its end, if it is active (IHI 0048B 4.3.12, IHI 0069 12.9.22). What
 * reaches a vCPU that is the home no longer is sent on.
 */
struct vgicd {
	uint32_t groups;                               /* GICD_CTLR: bit n = EnableGrp<n> */
	uint32_t shared[VGICD_BITS_COUNT][VIRQ_WORDS]; /* word 0 is in private[] */
	uint32_t private[VGICD_BITS_COUNT][VCPU_MAX];
	uint8_t priority[VIRQ_COUNT]; /* of SPIs, and of vCPU 0; private ones of the others: */
	uint8_t private_priority[VCPU_MAX][GIC_PRIVATE_COUNT];
	uint8_t targets[VIRQ_COUNT]; /* GICv2: ITARGETSR */
	uint64_t routes[VIRQ_COUNT]; /* GICv3: IROUTER */
	bool asleep[VCPU_MAX];       /* GICv3: WAKER.ProcessorSleep */
	uint32_t lines[VIRQ_WORDS];  /* of emulated devices: high */
	uint8_t target[VIRQ_COUNT];  /* of SPIs: a vCPU's index, or VGICD_NOBODY */
	uint8_t home[VIRQ_COUNT];    /* of SPIs, a vCPU's index; written by the home's core */
};

/* For a fresh guest, its number of vCPUs known, their virtual GICs reset. */
void vgicd_reset(struct vm *vm);

/* A vCPU is off: its private interrupts are as at reset. On its own core. */
void vgicd_reset_private(struct vcpu *vcpu);

/* For struct mmio_region (hyp/vm/mmio.h). */
uint64_t vgicd_read(struct vcpu *vcpu, uint32_t offset, unsigned size);
void vgicd_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value);
uint64_t vgicr_read(struct vcpu *vcpu, uint32_t offset, unsigned size);
void vgicr_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value);

/* Writes to ICC_SGI1R_EL1, and to ICC_SGI0R_EL1 or ICC_ASGI1R_EL1: with one security state these
 * two send what is in Group 0 alone (IHI 0069 4.7). */
void vgicd_sgi1r(struct vcpu *vcpu, uint64_t value);
void vgicd_sgi0r(struct vcpu *vcpu, uint64_t value);

/* The line of an emulated device, by any core. */
void vgicd_set_level(struct vm *vm, unsigned intid, bool level);

/* What others want of `vcpu`, which is loaded here: some of it, as much as a write of one register
 * can want. A kick of this core sees to the rest. */
void vgicd_process_posts(struct vcpu *vcpu);

/* A physical interrupt was acknowledged on a core of which no vCPU has it: an SPI that was sent
 * before its route changed is pending again, for where its route leads. False: it is no VM's. */
bool vgicd_send_on(uint32_t iar);

/* The page of a GICv2's CPU interface that has GICC_DIR and nothing else, where it is not
 * mapped. */
#define VGICD_DIR_SIZE 0x1000u
uint64_t vgicd_dir_read(struct vcpu *vcpu, uint32_t offset, unsigned size);
void vgicd_dir_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value);
