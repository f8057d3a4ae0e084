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

#include "drivers/gic/gic_regs.h"
#include "hyp/vcpu/vcpu.h"
#include "lib/bits.h"

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
	unsigned vcpu_count;
	struct vcpu *vcpu[VCPU_MAX];
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

/* Make `dist` the distributor of these vCPUs. */
void vgicd_init(struct vgicd *dist, struct vcpu *const vcpu[], unsigned count);

/* For a fresh guest, whose virtual GICs have been reset. */
void vgicd_reset(struct vgicd *dist);

/* A vCPU is off: its private interrupts are as at reset. On its own core. */
void vgicd_reset_private(struct vcpu *vcpu);

/* For struct mmio_region (hyp/vm/mmio.h). */
uint64_t vgicd_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state);
void vgicd_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value, void *state);
uint64_t vgicr_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state);
void vgicr_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value, void *state);

/* Writes to ICC_SGI1R_EL1, and to ICC_SGI0R_EL1 or ICC_ASGI1R_EL1: with one security state these
 * two send what is in Group 0 alone (IHI 0069 4.7). */
void vgicd_sgi1r(struct vcpu *vcpu, uint64_t value);
void vgicd_sgi0r(struct vcpu *vcpu, uint64_t value);

/* The line of an emulated device, by any core. */
void vgicd_set_level(struct vgicd *dist, unsigned intid, bool level);

/* What others want of `vcpu`, which is loaded here: some of it, as much as a write of one register
 * can want. A kick of this core sees to the rest. */
void vgicd_process_posts(struct vcpu *vcpu);

/* A physical interrupt was acknowledged on a core whose vCPU does not have it: an SPI that was sent
 * before its route changed is pending again, for where its route leads. False: it is no SPI of this
 * VM's. */
bool vgicd_send_on(struct vcpu *vcpu, uint32_t iar);

/* The page of a GICv2's CPU interface that has GICC_DIR and nothing else, where it is not
 * mapped. */
#define VGICD_DIR_SIZE 0x1000u
uint64_t vgicd_dir_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state);
void vgicd_dir_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value,
		     void *state);

/*
 * --- Between the distributor's files ---
 *
 * vgicd.c takes accesses apart and has the banks that both GIC versions have; vgicd_v2.c and
 * vgicd_v3.c have what only one has; vgicd_post.c has what reaches interrupts of another vCPU.
 * Everything here goes by words: `offset` is a multiple of 4, `lanes` the bits of the word that are
 * written.
 */

#define VGICD_IIDR 0x43bu /* JEP106 code of Arm; product 0, revision 0 */
#define VGICD_ALL_LANES (~(uint32_t)0)

/* A bit a vCPU. */
static inline uint32_t vgicd_all_vcpus(const struct vgicd *dist)
{
	return BIT(dist->vcpu_count) - 1;
}

/* From IGROUPR to ICFGR: which interrupt a word of a bank begins with. */
unsigned vgicd_bank_first(uint32_t offset);

/* The guest's bits of 32 interrupts, the private ones those of `owner`. */
static inline uint32_t *vgicd_bits(struct vcpu *owner, enum vgicd_bits kind, unsigned word)
{
	struct vgicd *dist = owner->dist;

	return word ? &dist->shared[kind][word] : &dist->private[kind][owner->index];
}

static inline uint8_t *vgicd_priority(struct vcpu *owner, unsigned intid)
{
	struct vgicd *dist = owner->dist;

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
uint32_t vgicd_homed(const struct vgicd *dist, unsigned index, unsigned word);

/* Of 32 interrupts of a vCPU that is loaded here: pending, or active. */
uint32_t vgicd_state(const struct vgic *vgic, bool active, unsigned word, uint32_t which);

/* What has been posted to `vcpu`, loaded here, of 32 interrupts. */
void vgicd_process_word(struct vcpu *vcpu, unsigned word);

/* The virtual GIC of `vcpu`, loaded here, follows what the distributor holds of an interrupt. */
void vgicd_reload(struct vcpu *vcpu, unsigned intid);

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
