/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that only GICv3 has: routing by affinity, redistributors, SGIs by a system register
 * (IHI 0069 chapter 12). vCPU n has the affinity 0.0.0.n. */
#include "hyp/vm/vgicd.h"
#include "lib/compiler.h"

#define ROUTER_LOW_FIELDS 0x80ffffffu /* fields in the low half of IROUTER */
#define ROUTER_HIGH_FIELDS 0xffu
#define ROUTER_ANY (1u << 31)

#define RD_FRAME(offset) ((offset) / VGICR_SIZE)
#define GICR_TYPER_LAST (1u << 4)
#define TYPER_NUMBER_SHIFT 8

#define PART_GICD 0x92u /* PIDR0 */
#define PART_GICR 0x93u

#define SGIR_IRM (1ull << 40)                /* to all other vCPUs */
#define SGIR_ELSEWHERE 0x00fff0ff00ff0000ull /* Aff3, RS, Aff2, Aff1: 0 in every vCPU */
#define SGIR_INTID_FIELD (0xfull << 24)
#define SGIR_INTID(value) ((unsigned)((value) >> 24) & 0xfu)
#define SGIR_TARGETS(value) ((uint32_t)(value)&0xffffu)

/* --- routing --- */

static bool is_router(uint32_t offset)
{
	return offset >= GICD_IROUTER + 8 * GIC_PRIVATE_COUNT &&
	       offset < GICD_IROUTER + 8 * VIRQ_COUNT;
}

/* Write one half of a register. An SPI that may go to any vCPU stays at its holder. */
static void write_router(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes)
{
	struct vgicd *dist = vcpu->dist;
	unsigned intid = (offset - GICD_IROUTER) / 8;
	uint32_t *route = dist->routes[intid];
	uint8_t before = dist->target[intid];
	uint32_t fields = offset % 8 ? ROUTER_HIGH_FIELDS : ROUTER_LOW_FIELDS;

	__atomic_fetch_and(&route[offset % 8 / 4], ~lanes | value, __ATOMIC_RELAXED);
	__atomic_fetch_or(&route[offset % 8 / 4], value & lanes & fields, __ATOMIC_RELAXED);
	if (route[0] & ROUTER_ANY)
		dist->target[intid] = dist->holder[intid];
	else if (route[1] == 0 && route[0] < dist->vcpu_count)
		dist->target[intid] = (uint8_t)route[0];
	else
		dist->target[intid] = VGICD_NO_TARGET;
	if (dist->target[intid] != before)
		vgicd_changed_some(vcpu, vcpu, intid / 32, BIT(intid % 32));
}

/* --- the distributor --- */

static bool in_banks(uint32_t offset, bool private)
{
	return offset >= GICD_IGROUPR && offset < GICD_IGRPMODR &&
	       (vgicd_bank_first(offset) < GIC_PRIVATE_COUNT) == private;
}

reg_t vgicd_v3_read(struct vcpu *vcpu, uint32_t offset)
{
	if (in_banks(offset, false))
		return vgicd_bank_read(vcpu, vcpu, offset);
	if (is_router(offset))
		return vcpu->dist->routes[(offset - GICD_IROUTER) / 8][offset % 8 / 4];
	return vgicd_id_register(offset, PART_GICD);
}

void vgicd_v3_write(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes)
{
	if (in_banks(offset, false))
		vgicd_bank_write(vcpu, vcpu, offset, value, lanes);
	else if (is_router(offset))
		write_router(vcpu, offset, value, lanes);
}

/* --- the redistributors --- */

/* CTLR: no LPIs, RWP is 0. SYNCR: a write never has to be waited for. */
static uint32_t read_rd_base(const struct vcpu *owner, uint32_t offset)
{
	const struct vgicd *dist = owner->dist;

	switch (offset) {
	case GICR_IIDR:
		return VGICD_IIDR;
	case GICR_TYPER:
		return owner->index << TYPER_NUMBER_SHIFT |
		       (owner->index == dist->vcpu_count - 1 ? GICR_TYPER_LAST : 0);
	case GICR_TYPER + 4:
		return owner->index; /* affinity of the vCPU */
	case GICR_WAKER:
		return dist->asleep[owner->index]
			       ? GICR_WAKER_PROCESSOR_SLEEP | GICR_WAKER_CHILDREN_ASLEEP
			       : 0;
	default:
		return vgicd_id_register(offset, PART_GICR);
	}
}

/* Any vCPU may access any frame. */
reg_t vgicr_read_word(struct vcpu *vcpu, uint32_t offset)
{
	struct vgicd *dist = vcpu->dist;
	unsigned index = RD_FRAME(offset);

	offset %= VGICR_SIZE;
	if (index >= dist->vcpu_count)
		return 0;
	if (offset < GICR_SGI_OFFSET)
		return read_rd_base(dist->vcpu[index], offset);
	offset -= GICR_SGI_OFFSET;
	return in_banks(offset, true) ? vgicd_bank_read(vcpu, dist->vcpu[index], offset) : 0;
}

/* WAKER reads 0 at reset, as after firmware. ProcessorSleep has no effect: an interrupt would wake
 * the vCPU, and the guest turns its CPU interface off first (IHI 0069 12.11.42). */
void vgicr_write_word(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes)
{
	struct vgicd *dist = vcpu->dist;
	unsigned index = RD_FRAME(offset);

	offset %= VGICR_SIZE;
	if (index >= dist->vcpu_count)
		return;
	if (offset == GICR_WAKER && lanes == VGICD_ALL_LANES)
		dist->asleep[index] = value & GICR_WAKER_PROCESSOR_SLEEP;
	else if (offset >= GICR_SGI_OFFSET && in_banks(offset - GICR_SGI_OFFSET, true))
		vgicd_bank_write(vcpu, dist->vcpu[index], offset - GICR_SGI_OFFSET, value, lanes);
}

/* --- SGIs (IHI 0069 12.2.19) --- */

static uint32_t targets_of(const struct vcpu *vcpu, uint64_t value)
{
	if (value & SGIR_IRM)
		return ~BIT(vcpu->index);
	return value & SGIR_ELSEWHERE ? 0 : SGIR_TARGETS(value);
}

static bool is_to_self(const struct vcpu *vcpu, uint64_t value)
{
	return (value & ~SGIR_INTID_FIELD) == BIT64(vcpu->index);
}

__attribute__((flatten)) bool vgicd_sgi1r_at_once(struct vcpu *vcpu, uint64_t value)
{
	return is_to_self(vcpu, value) &&
	       vgic_set_pending_at_once(&vcpu->vgic, &vcpu->vgic.virq[SGIR_INTID(value)], 0);
}

__cold void vgicd_sgi1r(struct vcpu *vcpu, uint64_t value)
{
	if (is_to_self(vcpu, value))
		vgic_set_pending(&vcpu->vgic, &vcpu->vgic.virq[SGIR_INTID(value)], 0);
	else
		vgicd_send_sgi(vcpu, targets_of(vcpu, value), SGIR_INTID(value), 0);
}

__cold void vgicd_sgi0r(struct vcpu *vcpu, uint64_t value)
{
	unsigned id = SGIR_INTID(value);
	uint32_t group0 = 0;

	/* bound: VCPU_MAX */
	for (unsigned i = 0; i < vcpu->dist->vcpu_count; i++)
		if (!(vcpu->dist->bits[VGICD_GROUP1][i] >> id & 1))
			group0 |= BIT(i);
	vgicd_send_sgi(vcpu, targets_of(vcpu, value) & group0, id, 0);
}
