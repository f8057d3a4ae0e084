/* SPDX-License-Identifier: Apache-2.0 */
/* Register names and layouts: IHI 0048B chapter 4, IHI 0069 chapter 12. */
#include "hyp/vdist.h"

#include "drivers/gic/gic_regs.h"
#include "hyp/vcpu.h"
#include "lib/bits.h"

#define IIDR_ARM 0x43bu              /* JEP106 code of Arm; product 0, revision 0 */
#define BANK(offset) ((offset) >> 7) /* from IGROUPR on, registers lie in banks of 128 bytes */

#define SGIR_FILTER(value) ((value) >> 24 & 3u)
#define SGIR_TARGETS(value) ((value) >> 16 & 0xffu)
#define SGIR_FILTER_LIST 0u
#define SGIR_FILTER_SELF 2u

#define SGI1R_IRM (1ull << 40) /* to all but this one */
#define SGI1R_AFFINITY 0x00ff00ff00ff0000ull
#define SGI1R_INTID(value) ((unsigned)((value) >> 24) & 0xfu)

#define TYPER_ID_BITS (9u << 19) /* GICv3: INTIDs have 10 bits */
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
	case BANK(GICD_ICENABLER): /* GICv2: SGIs stay enabled (IHI 0048B 4.3.6 allows it) */
		if (virq->intid >= GIC_SGI_COUNT || gic_version() > 2)
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
	case BANK(GICD_ISACTIVER):
		vgic_set_active(vgic, virq);
		break;
	default:
		break;
	}
}

static bool read_bit(const struct vgic *vgic, unsigned bank, const struct virq *virq)
{
	switch (bank) {
	case BANK(GICD_IGROUPR):
		return virq->group1;
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

/* --- banks: a bit, a byte or two bits an interrupt --- */

static uint64_t read_bits(struct vgic *vgic, uint32_t offset, unsigned size, bool private)
{
	unsigned first = (offset & 0x7fu) * 8;
	uint64_t value = 0;

	for (unsigned i = 0; i < size * 8u; i++) {
		struct virq *virq = virq_at(vgic, first + i, private);

		if (virq && read_bit(vgic, BANK(offset), virq))
			value |= BIT64(i);
	}
	return value;
}

static void write_bits(struct vgic *vgic, uint32_t offset, unsigned size, uint64_t value,
		       bool private)
{
	unsigned first = (offset & 0x7fu) * 8;

	for (unsigned i = 0; i < size * 8u; i++) {
		struct virq *virq = virq_at(vgic, first + i, private);

		if (virq && BANK(offset) == BANK(GICD_IGROUPR))
			vgic_set_group1(vgic, virq, value >> i & 1);
		else if (virq && (value >> i & 1))
			write_bit(vgic, BANK(offset), virq);
	}
}

static uint64_t read_priorities(struct vgic *vgic, uint32_t offset, unsigned size, bool private)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++) {
		struct virq *virq = virq_at(vgic, offset - GICD_IPRIORITYR + i, private);

		if (virq)
			value |= (uint64_t)virq->priority << 8 * i;
	}
	return value;
}

static void write_priorities(struct vgic *vgic, uint32_t offset, unsigned size, uint64_t value,
			     bool private)
{
	for (unsigned i = 0; i < size; i++) {
		struct virq *virq = virq_at(vgic, offset - GICD_IPRIORITYR + i, private);

		if (virq)
			vgic_set_priority(vgic, virq, (uint8_t)(value >> 8 * i));
	}
}

/* Of an interrupt's two bits the upper says edge; SGIs are always edge, read-only. */
static uint64_t read_config(struct vgic *vgic, uint32_t offset, unsigned size, bool private)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size * 4u; i++) {
		struct virq *virq = virq_at(vgic, (offset - GICD_ICFGR) * 4 + i, private);

		if (virq)
			value |= (uint64_t)virq->edge << (2 * i + 1);
	}
	return value;
}

static void write_config(struct vgic *vgic, uint32_t offset, unsigned size, uint64_t value,
			 bool private)
{
	for (unsigned i = 0; i < size * 4u; i++) {
		struct virq *virq = virq_at(vgic, (offset - GICD_ICFGR) * 4 + i, private);

		if (virq && virq->intid >= GIC_SGI_COUNT)
			vgic_set_edge(vgic, virq, value >> (2 * i + 1) & 1);
	}
}

static bool in_bits(uint32_t offset)
{
	return offset >= GICD_IGROUPR && offset < GICD_IPRIORITYR;
}

static bool in_priorities(uint32_t offset)
{
	return offset >= GICD_IPRIORITYR && offset < GICD_ITARGETSR;
}

static bool in_config(uint32_t offset)
{
	return offset >= GICD_ICFGR && offset < GICD_ICFGR + 0x100;
}

/* The registers that the distributor and a redistributor's SGI_base frame share. The others, and
 * ITARGETSR on a uniprocessor, read as zero and ignore writes. */
static uint64_t read_bank(struct vgic *vgic, uint32_t offset, unsigned size, bool private)
{
	if (in_bits(offset))
		return read_bits(vgic, offset, size, private);
	if (in_priorities(offset))
		return read_priorities(vgic, offset, size, private);
	if (in_config(offset))
		return read_config(vgic, offset, size, private);
	return 0;
}

static void write_bank(struct vgic *vgic, uint32_t offset, unsigned size, uint64_t value,
		       bool private)
{
	if (in_bits(offset))
		write_bits(vgic, offset, size, value, private);
	else if (in_priorities(offset))
		write_priorities(vgic, offset, size, value, private);
	else if (in_config(offset))
		write_config(vgic, offset, size, value, private);
}

/* --- SGIs --- */

static bool in_sgi_pending(uint32_t offset)
{
	return gic_version() == 2 && offset >= GICD_CPENDSGIR &&
	       offset < GICD_SPENDSGIR + GIC_SGI_COUNT;
}

/* GICv2: a byte an SGI, a bit a source. */
static uint64_t read_sgi_pending(struct vgic *vgic, uint32_t offset, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++) {
		unsigned sources = vgic_pending_sources(vgic, &vgic->virq[(offset + i) & 0xfu]);

		value |= (uint64_t)sources << 8 * i;
	}
	return value;
}

static void write_sgi_pending(struct vgic *vgic, uint32_t offset, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++) {
		struct virq *virq = &vgic->virq[(offset + i) & 0xfu];
		uint32_t sources = value >> 8 * i & 0xff;

		if (offset < GICD_SPENDSGIR)
			vgic_clear_pending(vgic, virq, sources);
		else
			for (; sources; sources &= sources - 1)
				vgic_set_pending(vgic, virq, bit_lowest(sources));
	}
}

static void write_sgir(struct vgic *vgic, uint32_t value)
{
	uint32_t filter = SGIR_FILTER(value);

	if (filter == SGIR_FILTER_SELF || (filter == SGIR_FILTER_LIST && (SGIR_TARGETS(value) & 1)))
		vgic_set_pending(vgic, &vgic->virq[value & 0xfu], 0);
}

void vdist_sgi1r(struct vcpu *vcpu, uint64_t value)
{
	if (!(value & (SGI1R_IRM | SGI1R_AFFINITY)) && (value & 1))
		vgic_set_pending(&vcpu->vgic, &vcpu->vgic.virq[SGI1R_INTID(value)], 0);
}

/* --- the distributor --- */

static uint32_t read_ctlr(const struct vgic *vgic)
{
	return vgic->groups_enabled | (gic_version() > 2 ? GICD_CTLR_DS | GICD_CTLR_ARE : 0);
}

static uint32_t read_typer(void)
{
	uint32_t lines = VIRQ_COUNT / 32 - 1;

	return gic_version() > 2 ? lines | TYPER_ID_BITS : lines;
}

static uint32_t read_control(const struct vgic *vgic, uint32_t offset)
{
	switch (offset) {
	case GICD_CTLR:
		return read_ctlr(vgic);
	case GICD_TYPER:
		return read_typer();
	case GICD_IIDR:
		return IIDR_ARM;
	default:
		return 0;
	}
}

uint64_t vdist_gicd_read(struct vcpu *vcpu, uint32_t offset, unsigned size)
{
	if (offset < GICD_IGROUPR)
		return read_control(&vcpu->vgic, offset);
	if (offset < GICD_SGIR)
		return read_bank(&vcpu->vgic, offset, size, false);
	if (in_sgi_pending(offset))
		return read_sgi_pending(&vcpu->vgic, offset, size);
	if (offset == (gic_version() == 2 ? GICD_V2_PIDR2 : GICD_V3_PIDR2))
		return PIDR2(gic_version());
	return 0;
}

void vdist_gicd_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value)
{
	struct vgic *vgic = &vcpu->vgic;

	if (offset == GICD_SGIR && gic_version() == 2)
		write_sgir(vgic, (uint32_t)value);
	else if (offset == GICD_CTLR)
		vgic_set_groups_enabled(vgic,
					value & (GICD_CTLR_ENABLE_GRP0 | GICD_CTLR_ENABLE_GRP1));
	else if (offset < GICD_SGIR)
		write_bank(vgic, offset, size, value, false);
	else if (in_sgi_pending(offset))
		write_sgi_pending(vgic, offset, size, value);
}

/* --- the redistributor --- */

uint64_t vdist_gicr_read(struct vcpu *vcpu, uint32_t offset, unsigned size)
{
	if (offset >= GICR_SGI_OFFSET)
		return read_bank(&vcpu->vgic, offset - GICR_SGI_OFFSET, size, true);
	switch (offset) {
	case GICR_IIDR:
		return IIDR_ARM;
	case GICR_TYPER: /* affinity 0.0.0.0, the only one */
		return GICR_TYPER_LAST;
	case GICR_PIDR2:
		return PIDR2(gic_version());
	default: /* WAKER: always awake */
		return 0;
	}
}

void vdist_gicr_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value)
{
	if (offset >= GICR_SGI_OFFSET)
		write_bank(&vcpu->vgic, offset - GICR_SGI_OFFSET, size, value, true);
}

/* --- GICC_DIR --- */

uint64_t vdist_dir_read(struct vcpu *vcpu, uint32_t offset, unsigned size)
{
	(void)vcpu;
	(void)offset;
	(void)size;
	return 0;
}

void vdist_dir_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value)
{
	(void)size;
	if (offset == GICC_DIR % VDIST_DIR_SIZE)
		vgic_deactivate(&vcpu->vgic, gic_intid((uint32_t)value));
}
