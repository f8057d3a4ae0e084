/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the distributor's files. vgicd.c takes accesses apart and has the banks that both GIC
 * versions have; vgicd_v2.c and vgicd_v3.c have what only one has; vgicd_post.c has what
 * reaches interrupts of another vCPU. Everything here goes by words: `offset` is a multiple of 4,
 * `lanes` the bits of the word that are written.
 */
#pragma once

#include "drivers/gic/gic_regs.h"
#include "hyp/vm/vgicd.h"
#include "hyp/vm/vm.h"
#include "lib/bits.h"

#define VGICD_IIDR 0x43bu /* JEP106 code of Arm; product 0, revision 0 */
#define VGICD_ALL_LANES (~(uint32_t)0)

/* A bit a vCPU. */
static inline uint32_t vgicd_all_vcpus(const struct vm *vm)
{
	return BIT(vm->vcpu_count) - 1;
}

/* From IGROUPR to ICFGR: which interrupt a word of a bank begins with. */
unsigned vgicd_bank_first(uint32_t offset);

/* The guest's bits of 32 interrupts, the private ones those of `owner`. */
static inline uint32_t *vgicd_bits(struct vcpu *owner, enum vgicd_bits kind, unsigned word)
{
	struct vgicd *dist = &owner->vm->dist;

	return word ? &dist->shared[kind][word] : &dist->private[kind][owner->index];
}

static inline uint8_t *vgicd_priority(struct vcpu *owner, unsigned intid)
{
	struct vgicd *dist = &owner->vm->dist;

	return owner->index && intid < GIC_PRIVATE_COUNT
		       ? &dist->private_priority[owner->index][intid]
		       : &dist->priority[intid];
}

/* `vcpu` accesses a word of these banks: of a private interrupt, `owner`'s. */
uint32_t vgicd_bank_read(struct vcpu *vcpu, struct vcpu *owner, uint32_t offset);
void vgicd_bank_write(struct vcpu *vcpu, struct vcpu *owner, uint32_t offset, uint32_t value,
		      uint32_t lanes);

/* GICD_CTLR's enables, for all vCPUs, by `vcpu`. */
void vgicd_set_groups(struct vcpu *vcpu, uint32_t groups);

/* --- vgicd_post.c --- */

/* Of the 32 interrupts from 32 * word on those that are at home at vCPU `index`. */
uint32_t vgicd_homed(const struct vm *vm, unsigned index, unsigned word);

/* Of 32 interrupts of a vCPU that is loaded here: pending, or active. */
uint32_t vgicd_state(const struct vgic *vgic, bool active, unsigned word, uint32_t which);

/* What has been posted to `vcpu`, loaded here, of 32 interrupts. */
void vgicd_process_word(struct vcpu *vcpu, unsigned word);

/* The virtual GIC of `vcpu`, loaded here, follows what the distributor holds of an interrupt. */
void vgicd_reload(struct vcpu *vcpu, unsigned intid);
void vgicd_follow_enable(struct vcpu *vcpu, struct virq *virq); /* of this alone */

/* `vcpu` has written what the distributor holds of an SPI: its home is to follow. */
void vgicd_changed(struct vcpu *vcpu, unsigned intid);

/* An interrupt of a vCPU that is loaded here: pending or active, or no longer. */
void vgicd_set_state(struct vgic *vgic, struct virq *virq, bool active, bool on);

/* PIDR and CIDR, the words from PIDR4 on; `part`: PIDR0. */
uint32_t vgicd_id_register(unsigned word, uint32_t part);

uint64_t vgicd_v2_read(struct vcpu *vcpu, uint32_t offset);
void vgicd_v2_write(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes);
void vgicd_v2_sgir(struct vcpu *vcpu, uint32_t value);

uint64_t vgicd_v3_read(struct vcpu *vcpu, uint32_t offset);
void vgicd_v3_write(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes);

/* Whether an SPI's IROUTER begins at `offset`; a write to it, `lanes` of its 64 bits. */
bool vgicd_v3_is_router(uint32_t offset);
void vgicd_v3_router(struct vcpu *vcpu, unsigned intid, uint64_t value, uint64_t lanes);
uint64_t vgicr_read_word(struct vcpu *vcpu, uint32_t offset);
void vgicr_write_word(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes);
