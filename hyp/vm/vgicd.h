/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The distributor (GICv2, GICv3) and the redistributors (GICv3) that a guest accesses when its
 * interrupts are trapped: one security state, INTIDs 0 to VIRQ_COUNT - 1, no LPIs.
 *
 * EL2 emulates accesses by words. If the architecture leaves a narrower, wider or unaligned access
 * open, the access reads the bytes that it covers, and writes them to registers with a field for
 * each interrupt; registers that control the whole distributor (CTLR, SGIR, WAKER) ignore such a
 * write. Missing registers read as zero and ignore writes.
 */
#pragma once

#include "drivers/gic/gic_regs.h"
#include "hyp/vcpu/vcpu.h"
#include "lib/bits.h"

#define VGICD_SIZE 0x10000u
#define VGICR_SIZE 0x20000u /* frames of one vCPU, in the order of the vCPUs */

/* Registers with one bit an interrupt. */
enum vgicd_bits { VGICD_ENABLED, VGICD_GROUP1, VGICD_BITS_COUNT };

#define VGICD_EDGES 0xaaaaaaaau /* ICFGR: the upper bit of two is 1 for an edge */

#define VGICD_NO_TARGET 0xffu /* no vCPU: the interrupt stays pending */

/*
 * The registers of a VM's distributor. Any core writes them with atomic operations, without a lock.
 * The writing core posts a reload to the vCPU that has the interrupt.
 *
 * A vCPU's struct vgic has the pending and active states of its interrupts. One vCPU, the *holder*,
 * has the state of an SPI: only there the SPI is enabled, pending, active, and forwarded from a
 * physical SPI. The holder's core hands an SPI with a new target over (vgicd_post.c): at once, with
 * its pending state; an active SPI after its end (IHI 0048B 4.3.12, IHI 0069 12.9.22). A post that
 * reaches a vCPU which is no longer the holder goes to the holder.
 */
struct vgicd {
	/* Word 0 of each vCPU, then the words of SPIs, from VCPU_MAX + 1 on. */
	uint32_t bits[VGICD_BITS_COUNT][VCPU_MAX + VIRQ_WORDS];
	uint32_t edges[VIRQ_COUNT / 16];        /* ICFGR */
	uint32_t groups;                        /* GICD_CTLR: bit n = EnableGrp<n> */
	uint8_t priority[VCPU_MAX][VIRQ_COUNT]; /* SPIs are in the row of vCPU 0 */
	uint8_t targets[VIRQ_COUNT];            /* GICv2: ITARGETSR */
	uint32_t routes[VIRQ_COUNT][2];         /* GICv3: IROUTER, its lower half first */
	bool asleep[VCPU_MAX];                  /* GICv3: WAKER.ProcessorSleep */
	uint32_t lines[VIRQ_WORDS];             /* levels of emulated devices */
	uint8_t target[VIRQ_COUNT];             /* SPIs: index of a vCPU, or VGICD_NO_TARGET */
	uint8_t holder[VIRQ_COUNT]; /* SPIs: index of a vCPU; only that vCPU's core writes it */
	/* The holders by vCPU, one bit an interrupt. While an SPI moves, two vCPUs have its bit. */
	uint32_t held[VCPU_MAX][VIRQ_WORDS];

	unsigned vcpu_count;
	struct vcpu *vcpu[VCPU_MAX];
};

/* Make `dist` the distributor of these vCPUs. */
void vgicd_init(struct vgicd *dist, struct vcpu *const vcpu[], unsigned count);

/* Reset for a fresh guest, whose virtual GICs have been reset. */
void vgicd_reset(struct vgicd *dist);

/* Do this reset in pieces of bounded length, 0 to VGICD_RESET_PIECES - 1. */
#define VGICD_RESET_PIECES 2u
void vgicd_reset_piece(struct vgicd *dist, unsigned piece);

/* A vCPU turns off: reset PIECE_VIRQS of its private interrupts. Return whether a piece is left.
 * Call on its core, with its list registers loaded. */
bool vgicd_reset_private_piece(struct vcpu *vcpu, unsigned piece);

/* The shortest accesses to a word: a read of GICD_IIDR, and an SGI of the vCPU to itself. Return
 * false without an effect if the access needs vgicd_read() or vgicd_write(). */
bool vgicd_read_at_once(uint32_t offset, uint32_t *value);
bool vgicd_write_at_once(struct vcpu *vcpu, uint32_t offset, uint32_t value);

/* Functions for struct mmio_region (hyp/vm/machine.h). */
reg_t vgicd_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state);
void vgicd_write(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value, void *state);
reg_t vgicr_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state);
void vgicr_write(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value, void *state);

/* The page of a GICv2's CPU interface that has only GICC_DIR, used if that page is not mapped. */
#define VGICD_DIR_SIZE 0x1000u
reg_t vgicd_dir_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state);
void vgicd_dir_write(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value, void *state);

/* Writes to ICC_SGI1R_EL1, and to ICC_SGI0R_EL1 or ICC_ASGI1R_EL1. With one security state the
 * latter two send only interrupts of Group 0 (IHI 0069 4.7). */
void vgicd_sgi1r(struct vcpu *vcpu, uint64_t value);
/* vgicd_sgi1r() if that needs no more than a write to a list register. Return false without an
 * effect if it has more to do. */
bool vgicd_sgi1r_at_once(struct vcpu *vcpu, uint64_t value);
void vgicd_sgi0r(struct vcpu *vcpu, uint64_t value);

/* Set the line of an emulated device, on any core. */
void vgicd_set_level(struct vgicd *dist, unsigned intid, bool level);

/* Process posts to `vcpu`, which is loaded, for at most PIECE_VIRQS interrupts. For the rest this
 * core continues (smp_continue()) after every pending interrupt. */
void vgicd_process_posts(struct vcpu *vcpu);

/* Handle an acknowledged physical interrupt that has no route on this core: if another vCPU has its
 * SPI after a change of route, make it pending again and return true. */
bool vgicd_send_on(struct vcpu *vcpu, uint32_t iar);

/*
 * --- Shared by the distributor's files ---
 *
 * vgicd.c decodes accesses, and has the banks that both GIC versions have; vgicd_v2.c and
 * vgicd_v3.c have the registers of one version; vgicd_post.c processes posts and moves SPIs.
 * `offset` is a multiple of 4; `lanes` has the written bits of a word.
 */

#define VGICD_IIDR 0x43bu /* JEP106 code of Arm; product 0, revision 0 */
#define VGICD_ALL_LANES (~(uint32_t)0)

/* Return a mask with one bit for each vCPU. */
static inline uint32_t vgicd_all_vcpus(const struct vgicd *dist)
{
	return BIT(dist->vcpu_count) - 1;
}

/* Return the bits of 32 interrupts, or the priority of one. `owner` has the private interrupts. */
static inline uint32_t *vgicd_bits(struct vcpu *owner, enum vgicd_bits kind, unsigned word)
{
	return &owner->dist->bits[kind][word ? VCPU_MAX + word : owner->index];
}

static inline uint8_t *vgicd_priority(struct vcpu *owner, unsigned intid)
{
	return &owner->dist->priority[intid < GIC_PRIVATE_COUNT ? owner->index : 0][intid];
}

/* Return a word of a bank with one byte an interrupt. */
static inline uint32_t vgicd_four(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Return the vCPU that has an interrupt: the holder of an SPI, else `owner`. */
static inline struct vcpu *vgicd_holder(struct vcpu *owner, unsigned intid)
{
	const struct vgicd *dist = owner->dist;

	return intid < GIC_PRIVATE_COUNT
		       ? owner
		       : dist->vcpu[__atomic_load_n(&dist->holder[intid], __ATOMIC_ACQUIRE)];
}

/*
 * Return the first interrupt of a word of the banks from IGROUPR to ICFGR, or VIRQ_COUNT or more
 * for other words.
 */
unsigned vgicd_bank_first(uint32_t offset);

/* Read or write a word of these banks for `vcpu`. */
uint32_t vgicd_bank_read(struct vcpu *vcpu, struct vcpu *owner, uint32_t offset);
void vgicd_bank_write(struct vcpu *vcpu, struct vcpu *owner, uint32_t offset, uint32_t value,
		      uint32_t lanes);

/* Send an SGI from `vcpu`; `targets` has one bit for each vCPU. GICv3 has only source 0. */
void vgicd_send_sgi(struct vcpu *vcpu, uint32_t targets, unsigned id, unsigned source);

/* Return PIDR and CIDR, the last words of a frame; 0 for other words. `part`: PIDR0. */
uint32_t vgicd_id_register(uint32_t offset, uint32_t part);

/* --- vgicd_post.c --- */

/* Return pending or active states of 32 interrupts of a vCPU that is loaded here, including the
 * effect of its posts. */
uint32_t vgicd_state(const struct vcpu *vcpu, bool active, unsigned word, uint32_t which);

/* Set the pending or active state of one interrupt. */
void vgicd_set_state(struct vgic *vgic, struct virq *virq, bool active, bool on);

/* GICv2: set and clear sources of four SGIs, one byte each, from 4 * word on. */
void vgicd_set_sources(struct vgic *vgic, unsigned word, uint32_t set, uint32_t clear);

/* Return the bytes of the first `count` SGIs that have a source. */
uint32_t vgicd_first_sources(uint32_t sources, unsigned count);

/* Process posts of at most PIECE_VIRQS of 32 interrupts to `vcpu`, which is loaded here. Return
 * whether posts are left. */
bool vgicd_process_word(struct vcpu *vcpu, unsigned word);

/* Reload the registers of an interrupt of `vcpu`, which is loaded here, after a change. */
void vgicd_reload(struct vcpu *vcpu, unsigned intid);

/*
 * `vcpu` has changed registers of an interrupt: make the vCPU that has the interrupt reload them.
 */
void vgicd_changed(struct vcpu *vcpu, struct vcpu *owner, unsigned intid);
void vgicd_changed_some(struct vcpu *vcpu, struct vcpu *owner, unsigned word, uint32_t which);

/* End the batch of the one interrupt that an access changes at once. */
void vgicd_end_change(struct vgic *vgic);

/* GICD_CTLR enabled or disabled these groups (bits 0 and 1): post reloads to `vcpu`, which is
 * loaded here, of the enabled interrupts that it has. */
void vgicd_post_groups(struct vcpu *vcpu, uint32_t groups);

/* --- vgicd_v2.c --- */

reg_t vgicd_v2_read(struct vcpu *vcpu, uint32_t offset);
void vgicd_v2_write(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes);
bool vgicd_v2_sgi_at_once(struct vcpu *vcpu, uint32_t value);

/* --- vgicd_v3.c --- */

#define VGICD_V3_CTLR (1u << 6 | GICD_CTLR_ARE) /* DS: one security state; both bits are fixed */
#define VGICD_V3_TYPER (1u << 24 | 9u << 19)    /* IROUTER has Aff3; INTIDs have 10 bits */

reg_t vgicd_v3_read(struct vcpu *vcpu, uint32_t offset);
void vgicd_v3_write(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes);
reg_t vgicr_read_word(struct vcpu *vcpu, uint32_t offset);
void vgicr_write_word(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes);
