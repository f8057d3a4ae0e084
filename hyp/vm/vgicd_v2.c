/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that only GICv2's distributor has: control, targets, SGIs (IHI 0048B chapter 4). */
#include "hyp/vm/vgicd.h"
#include "lib/compiler.h"

#define SGIR_FILTER(value) ((value) >> 24 & 3u)
#define SGIR_TARGETS(value) ((value) >> 16 & 0xffu)
#define SGIR_INTID(value) ((value)&0xfu) /* NSATT, bit 15, needs two security states */
#define SGIR_LIST 0u
#define SGIR_OTHERS 1u
#define SGIR_SELF 2u

#define PART_GICV2 0x90u /* PIDR0 */

/* --- targets: one byte an interrupt, one bit a vCPU; a uniprocessor has none (4.3.12) --- */

static bool in_targets(uint32_t offset)
{
	return offset >= GICD_ITARGETSR && offset < GICD_ITARGETSR + VIRQ_COUNT;
}

static uint32_t read_targets(const struct vcpu *vcpu, unsigned first)
{
	if (vcpu->dist->vcpu_count == 1)
		return 0;
	if (first < GIC_PRIVATE_COUNT)
		return BIT(vcpu->index) * 0x01010101u;
	return vgicd_four(&vcpu->dist->targets[first]);
}

static void write_targets(struct vcpu *vcpu, unsigned first, uint32_t value, uint32_t lanes)
{
	struct vgicd *dist = vcpu->dist;
	uint32_t which = 0;

	if (dist->vcpu_count == 1 || first < GIC_PRIVATE_COUNT)
		return;
	/* bound: 4 */
	for (unsigned i = 0; i < 4; i++, value >>= 8, lanes >>= 8)
		if (lanes & 1) {
			uint32_t targets = value & vgicd_all_vcpus(dist) & 0xff;

			if (dist->targets[first + i] != targets)
				which |= BIT(first % 32 + i);
			dist->targets[first + i] = (uint8_t)targets;
			dist->target[first + i] =
				(uint8_t)(targets ? bit_lowest(targets) : VGICD_NO_TARGET);
		}
	vgicd_changed_some(vcpu, vcpu, first / 32, which);
}

/* --- SGIs --- */

static bool in_sgi_pending(uint32_t offset)
{
	return offset >= GICD_CPENDSGIR && offset < GICD_SPENDSGIR + GIC_SGI_COUNT;
}

/* Return the SGIs that are pending for this vCPU: one byte an SGI, one bit a source. */
static __cold uint32_t read_sgi_pending(const struct vcpu *vcpu, uint32_t offset)
{
	const struct vgic *vgic = &vcpu->vgic;
	uint64_t posted = vgic->posted.sources[offset % GIC_SGI_COUNT / 4];
	uint32_t value = 0;

	/* bound: 4 */
	for (unsigned i = 0; i < 4; i++)
		value |= vgic_pending_sources(vgic, &vgic->virq[(offset + i) & 0xfu]) << 8 * i;
	return (value & ~(uint32_t)(posted >> 32)) | (uint32_t)posted;
}

/* Post like post_own() in vgicd.c. */
static void post_own_sources(struct vcpu *vcpu, bool on, unsigned word, uint32_t sources)
{
	vcpu->vgic.work = 1;
	vgic_post_sources(vcpu, on, word, sources);
}

/* Set sources of this SGI only; `value` is the word of the register that has them. */
static void set_sources_of_one(struct vgic *vgic, bool on, unsigned id, uint32_t value)
{
	uint32_t sources = value >> 8 * (id % 4);

	if (on)
		vgic_set_pending_from(vgic, &vgic->virq[id], sources);
	else
		vgic_clear_pending(vgic, &vgic->virq[id], sources);
}

static void write_sgi_pending(struct vcpu *vcpu, uint32_t offset, uint32_t value)
{
	struct vgic *vgic = &vcpu->vgic;
	bool on = offset >= GICD_SPENDSGIR;
	unsigned word = offset % GIC_SGI_COUNT / 4;

	if (!value)
		return;
	if (vgic->posted.kinds) /* the last write counts */
		vgic_fetch_posted(&vgic->posted.sources[word], value);
	if (vgic->spent || vgicd_first_sources(value, 1) != value) {
		post_own_sources(vcpu, on, word, value);
		return;
	}
	vgic->spent = vgic->wide;
	vgic_begin_one(vgic);
	set_sources_of_one(vgic, on, word * 4 + bit_lowest(value) / 8, value);
	vgicd_end_change(vgic);
}

/* Return the vCPUs that a write of GICD_SGIR addresses, none if the filter is reserved. */
static uint32_t sgir_targets(const struct vcpu *vcpu, uint32_t value)
{
	switch (SGIR_FILTER(value)) {
	case SGIR_LIST:
		return SGIR_TARGETS(value);
	case SGIR_OTHERS:
		return ~BIT(vcpu->index);
	case SGIR_SELF:
		return BIT(vcpu->index);
	default:
		return 0;
	}
}

__attribute__((flatten)) bool vgicd_v2_sgi_at_once(struct vcpu *vcpu, uint32_t value)
{
	return SGIR_FILTER(value) == SGIR_SELF &&
	       vgic_set_pending_at_once(&vcpu->vgic, &vcpu->vgic.virq[SGIR_INTID(value)],
					vcpu->index);
}

static void write_sgir(struct vcpu *vcpu, uint32_t value)
{
	vgicd_send_sgi(vcpu, sgir_targets(vcpu, value), SGIR_INTID(value), vcpu->index);
}

/* --- all registers --- */

reg_t vgicd_v2_read(struct vcpu *vcpu, uint32_t offset)
{
	if (in_targets(offset))
		return read_targets(vcpu, offset - GICD_ITARGETSR);
	if (offset < GICD_SGIR)
		return vgicd_bank_read(vcpu, vcpu, offset);
	if (in_sgi_pending(offset))
		return read_sgi_pending(vcpu, offset);
	return vgicd_id_register(offset, PART_GICV2);
}

void vgicd_v2_write(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes)
{
	if (offset == GICD_SGIR && lanes == VGICD_ALL_LANES)
		write_sgir(vcpu, value);
	else if (in_targets(offset))
		write_targets(vcpu, offset - GICD_ITARGETSR, value, lanes);
	else if (offset >= GICD_IGROUPR && offset < GICD_SGIR)
		vgicd_bank_write(vcpu, vcpu, offset, value, lanes);
	else if (in_sgi_pending(offset))
		write_sgi_pending(vcpu, offset, value & lanes);
}
