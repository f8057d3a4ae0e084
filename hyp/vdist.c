/* SPDX-License-Identifier: Apache-2.0 */
/* Register names and layouts: IHI 0048B chapter 4, IHI 0069 chapter 12. */
#include "hyp/vdist.h"

#include "drivers/gic/gic_regs.h"
#include "hyp/vcpu.h"
#include "lib/bits.h"

#define IIDR_ARM 0x43bu /* JEP106 code of Arm; product 0, revision 0 */
#define BANK(offset) ((offset) >> 7) /* from IGROUPR on, registers lie in banks of 128 bytes */

#define SGIR_FILTER(value) ((value) >> 24 & 3u)
#define SGIR_TARGETS(value) ((value) >> 16 & 0xffu)
#define SGIR_FILTER_LIST 0u
#define SGIR_FILTER_SELF 2u

#define SGI1R_IRM (1ull << 40) /* to all but this one */
#define SGI1R_AFFINITY 0x00ff00ff00ff0000ull
#define SGI1R_INTID(value) ((unsigned)((value) >> 24) & 0xfu)

#define TYPER_ID_BITS 9u << 19 /* GICv3: INTIDs have 10 bits */
#define GICR_TYPER_LAST (1u << 4)
#define PIDR2(version) ((version) << 4 | 0xbu)
#define GICD_CTLR_DS (1u << 6)

/* What one bit or byte of a bank stands for, by value written. */
static void write_bit(struct vgic *vgic, unsigned bank, struct virq *virq)
{
	switch (bank) {
	case BANK(GICD_ISENABLER):
		vgic_set_enabled(vgic, virq, true);
		break;
	case BANK(GICD_ICENABLER): /* SGIs stay enabled (IHI 0048B 4.3.6 allows it) */
		if (virq->intid >= GIC_SGI_COUNT)
			vgic_set_enabled(vgic, virq, false);
		break;
	case BANK(GICD_ISPENDR): /* on GICv2, SGIs have SPENDSGIR and CPENDSGIR for this */
		if (virq->intid >= GIC_SGI_COUNT || gic_version() > 2)
			vgic_set_pending(vgic, virq, 0);
		break;
	case BANK(GICD_ICPENDR):
		if (virq->intid >= GIC_SGI_COUNT || gic_version() > 2)
			vgic_clear_pending(vgic, virq, ~0u);
		break;
	case BANK(GICD_ICACTIVER):
		vgic_clear_active(vgic, virq);
		break;
	default: /* IGROUPR: one group; ISACTIVER: CAVEATS.md */
		break;
	}
}

static bool read_bit(const struct vgic *vgic, unsigned bank, const struct virq *virq)
{
	switch (bank) {
	case BANK(GICD_IGROUPR):
		return gic_version() > 2;
	case BANK(GICD_ISENABLER):
	case BANK(GICD_ICENABLER):
		return virq->enabled;
	case BANK(GICD_ISPENDR):
	case BANK(GICD_ICPENDR):
		return vgic_is_pending(vgic, virq);
	default:
		return vgic_is_active(vgic, virq);
	}
}

/* An interrupt of this vCPU's, or NULL: GICv3 keeps the private ones in the redistributor. */
static struct virq *virq_at(struct vgic *vgic, unsigned intid, bool private)
{
	if (intid >= VIRQ_COUNT)
		return NULL;
	if (gic_version() > 2 && private != (intid < GIC_PRIVATE_COUNT))
		return NULL;
	return &vgic->virq[intid];
}

static void bit_bank(struct vgic *vgic, struct mmio_access *access, uint32_t offset, bool private)
{
	unsigned first = (offset & 0x7fu) * 8;
	unsigned bank = BANK(offset);
	uint64_t value = 0;

	for (unsigned i = 0; i < access->size * 8u; i++) {
		struct virq *virq = virq_at(vgic, first + i, private);

		if (!virq)
			continue;
		if (access->write && (access->value >> i & 1))
			write_bit(vgic, bank, virq);
		else if (!access->write && read_bit(vgic, bank, virq))
			value |= BIT64(i);
	}
	access->value = access->write ? access->value : value;
}

static void priority_bank(struct vgic *vgic, struct mmio_access *access, uint32_t offset,
			  bool private)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < access->size; i++) {
		struct virq *virq = virq_at(vgic, offset - GICD_IPRIORITYR + i, private);

		if (!virq)
			continue;
		if (access->write)
			vgic_set_priority(vgic, virq, (uint8_t)(access->value >> 8 * i));
		else
			value |= (uint64_t)virq->priority << 8 * i;
	}
	access->value = access->write ? access->value : value;
}

/* Two bits an interrupt, of which the upper says edge; SGIs are always edge, read-only. */
static void config_bank(struct vgic *vgic, struct mmio_access *access, uint32_t offset, bool private)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < access->size * 4u; i++) {
		struct virq *virq = virq_at(vgic, (offset - GICD_ICFGR) * 4 + i, private);

		if (!virq)
			continue;
		if (!access->write)
			value |= (uint64_t)virq->edge << (2 * i + 1);
		else if (virq->intid >= GIC_SGI_COUNT)
			virq->edge = access->value >> (2 * i + 1) & 1;
	}
	access->value = access->write ? access->value : value;
}

/* GICv2: a byte an SGI, a bit a source. */
static void sgi_pending_bank(struct vgic *vgic, struct mmio_access *access, uint32_t offset)
{
	bool set = offset >= GICD_SPENDSGIR;
	uint64_t value = 0;

	for (unsigned i = 0; i < access->size; i++) {
		struct virq *virq = &vgic->virq[(offset + i) & 0xfu];
		uint8_t sources = (uint8_t)(access->value >> 8 * i);

		if (!access->write)
			value |= (uint64_t)vgic_pending_sources(vgic, virq) << 8 * i;
		else if (!set)
			vgic_clear_pending(vgic, virq, sources);
		else
			for (uint32_t bits = sources; bits; bits &= bits - 1)
				vgic_set_pending(vgic, virq, bit_lowest(bits));
	}
	access->value = access->write ? access->value : value;
}

static void sgir_write(struct vgic *vgic, uint32_t value)
{
	uint32_t filter = SGIR_FILTER(value);

	if (filter == SGIR_FILTER_SELF ||
	    (filter == SGIR_FILTER_LIST && (SGIR_TARGETS(value) & 1)))
		vgic_set_pending(vgic, &vgic->virq[value & 0xfu], 0);
}

void vdist_sgi1r(struct vcpu *vcpu, uint64_t value)
{
	if (!(value & (SGI1R_IRM | SGI1R_AFFINITY)) && (value & 1))
		vgic_set_pending(&vcpu->vgic, &vcpu->vgic.virq[SGI1R_INTID(value)], 0);
}

static uint32_t ctlr_read(const struct vgic *vgic)
{
	if (gic_version() > 2)
		return GICD_CTLR_DS | GICD_CTLR_ARE |
		       (vgic->dist_enabled ? GICD_CTLR_ENABLE_GRP1 : 0);
	return vgic->dist_enabled ? GICD_CTLR_ENABLE_GRP0 : 0;
}

static uint32_t typer_read(void)
{
	uint32_t lines = VIRQ_COUNT / 32 - 1;

	return gic_version() > 2 ? lines | TYPER_ID_BITS : lines;
}

/* CTLR, TYPER, IIDR: word registers. */
static void control_bank(struct vgic *vgic, struct mmio_access *access, uint32_t offset)
{
	if (access->write) {
		if (offset == GICD_CTLR)
			vgic_set_dist_enabled(vgic, access->value & (GICD_CTLR_ENABLE_GRP0 |
								     GICD_CTLR_ENABLE_GRP1));
		return;
	}
	switch (offset) {
	case GICD_IIDR:
		access->value = IIDR_ARM;
		break;
	case GICD_CTLR:
		access->value = ctlr_read(vgic);
		break;
	case GICD_TYPER:
		access->value = typer_read();
		break;
	default:
		access->value = 0;
		break;
	}
}

static void other_bank(struct vgic *vgic, struct mmio_access *access, uint32_t offset)
{
	uint32_t pidr2 = gic_version() > 2 ? GICD_V3_PIDR2 : GICD_V2_PIDR2;

	if (offset >= GICD_CPENDSGIR && offset < GICD_SPENDSGIR + GIC_SGI_COUNT)
		sgi_pending_bank(vgic, access, offset);
	else if (!access->write)
		access->value = offset == pidr2 ? PIDR2(gic_version()) : 0;
}

/* The registers that the distributor and a redistributor's SGI_base frame share. */
static void shared_banks(struct vgic *vgic, struct mmio_access *access, uint32_t offset,
			 bool private)
{
	if (offset >= GICD_IGROUPR && offset < GICD_IPRIORITYR)
		bit_bank(vgic, access, offset, private);
	else if (offset >= GICD_IPRIORITYR && offset < GICD_ITARGETSR)
		priority_bank(vgic, access, offset, private);
	else if (offset >= GICD_ICFGR && offset < GICD_ICFGR + 0x100)
		config_bank(vgic, access, offset, private);
	else if (!access->write)
		access->value = 0; /* ITARGETSR among others: a uniprocessor's reads as zero */
}

void vdist_gicd(struct vcpu *vcpu, struct mmio_access *access)
{
	struct vgic *vgic = &vcpu->vgic;
	uint32_t offset = access->offset;

	if (offset == GICD_SGIR && access->write && gic_version() == 2)
		sgir_write(vgic, (uint32_t)access->value);
	else if (offset < GICD_IGROUPR)
		control_bank(vgic, access, offset);
	else if (offset < GICD_SGIR)
		shared_banks(vgic, access, offset, false);
	else
		other_bank(vgic, access, offset);
}

void vdist_gicr(struct vcpu *vcpu, struct mmio_access *access)
{
	uint32_t offset = access->offset;

	if (offset >= GICR_SGI_OFFSET) {
		shared_banks(&vcpu->vgic, access, offset - GICR_SGI_OFFSET, true);
		return;
	}
	if (access->write)
		return; /* WAKER: this redistributor is always awake */
	switch (offset) {
	case GICR_IIDR:
		access->value = IIDR_ARM;
		break;
	case GICR_TYPER:
		access->value = GICR_TYPER_LAST; /* affinity 0.0.0.0, the only one */
		break;
	case GICR_PIDR2:
		access->value = PIDR2(gic_version());
		break;
	default:
		access->value = 0;
		break;
	}
}
