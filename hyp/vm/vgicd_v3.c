/* SPDX-License-Identifier: Apache-2.0 */
/* What GICv3 alone has: routing by affinity, redistributors, SGIs by a system register (IHI 0069
 * chapter 12). vCPU n has the affinity 0.0.0.n. */
#include "hyp/vm/vgicd.h"
#include "lib/bits.h"
#include "lib/compiler.h"

#define CTLR_DS (1u << 6) /* one security state, for good; ARE likewise */
#define CTLR_GROUPS (GICD_CTLR_ENABLE_GRP0 | GICD_CTLR_ENABLE_GRP1)

#define TYPER_ID_BITS (9u << 19) /* INTIDs have 10 bits */
#define TYPER_A3V (1u << 24)     /* IROUTER has Aff3 */

#define ROUTER_FIELDS 0xff80ffffffull
#define ROUTER_AFFINITY 0xff00ffffffull
#define ROUTER_ANY (1ull << 31)

#define RD_FRAME(offset) ((offset) / VGICR_SIZE)
#define GICR_TYPER_LAST (1u << 4)
#define TYPER_NUMBER_SHIFT 8

#define PIDR4 0xffd0u
#define PART_GICD 0x92u /* PIDR0 */
#define PART_GICR 0x93u

#define SGIR_IRM (1ull << 40)                /* to all but this one */
#define SGIR_ELSEWHERE 0x00fff0ff00ff0000ull /* Aff3, RS, Aff2, Aff1: none of our vCPUs */
#define SGIR_INTID_FIELD (0xfull << 24)
#define SGIR_INTID(value) ((unsigned)((value) >> 24) & 0xfu)
#define SGIR_TARGETS(value) ((uint32_t)(value)&0xffffu)

/* --- routing --- */

bool vgicd_v3_is_router(uint32_t offset)
{
	return offset % 8 == 0 && offset >= GICD_IROUTER + 8 * GIC_PRIVATE_COUNT &&
	       offset < GICD_IROUTER + 8 * VIRQ_COUNT;
}

/* One that may go to any stays at its home. */
void vgicd_v3_router(struct vcpu *vcpu, unsigned intid, uint64_t value, uint64_t lanes)
{
	struct vgicd *dist = vcpu->dist;
	uint64_t *route = &dist->routes[intid];

	__atomic_fetch_and(route, ~lanes | value, __ATOMIC_RELAXED);
	value = __atomic_or_fetch(route, value & lanes & ROUTER_FIELDS, __ATOMIC_RELAXED);
	if (value & ROUTER_ANY)
		dist->target[intid] = dist->home[intid];
	else
		dist->target[intid] = (uint8_t)((value & ROUTER_AFFINITY) < vcpu->dist->vcpu_count
							? value
							: VGICD_NOBODY);
	vgicd_changed(vcpu, intid);
}

/* A half of it; the other half stays. */
static void write_route_half(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes)
{
	unsigned shift = offset % 8 * 8;

	vgicd_v3_router(vcpu, (offset - GICD_IROUTER) / 8, (uint64_t)value << shift,
			(uint64_t)lanes << shift);
}

/* --- the distributor; private interrupts are the redistributors' --- */

static uint32_t read_control(const struct vgicd *dist, uint32_t offset)
{
	switch (offset) {
	case GICD_CTLR: /* RWP: a write has its effect when it returns */
		return CTLR_DS | GICD_CTLR_ARE | dist->groups;
	case GICD_TYPER:
		return (VIRQ_COUNT / 32 - 1) | TYPER_ID_BITS | TYPER_A3V;
	case GICD_IIDR:
		return VGICD_IIDR;
	default: /* TYPER2 among them */
		return 0;
	}
}

static bool in_shared_banks(uint32_t offset)
{
	return offset >= GICD_IGROUPR && offset < GICD_IGRPMODR &&
	       vgicd_bank_first(offset) >= GIC_PRIVATE_COUNT;
}

uint64_t vgicd_v3_read(struct vcpu *vcpu, uint32_t offset)
{
	if (offset < GICD_IGROUPR)
		return read_control(vcpu->dist, offset);
	if (in_shared_banks(offset))
		return vgicd_bank_read(vcpu, vcpu, offset);
	if (vgicd_v3_is_router(offset & ~7u))
		return (uint32_t)(vcpu->dist->routes[(offset - GICD_IROUTER) / 8] >>
				  offset % 8 * 8);
	if (offset >= PIDR4)
		return vgicd_id_register((offset - PIDR4) / 4, PART_GICD);
	return 0;
}

void vgicd_v3_write(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes)
{
	if (offset == GICD_CTLR && lanes == VGICD_ALL_LANES)
		vgicd_set_groups(vcpu, value & CTLR_GROUPS);
	else if (in_shared_banks(offset))
		vgicd_bank_write(vcpu, vcpu, offset, value, lanes);
	else if (vgicd_v3_is_router(offset & ~7u))
		write_route_half(vcpu, offset, value, lanes);
}

/* --- the redistributors --- */

static bool in_private_banks(uint32_t offset)
{
	return offset >= GICD_IGROUPR && offset < GICD_IGRPMODR &&
	       vgicd_bank_first(offset) < GIC_PRIVATE_COUNT;
}

/* CTLR: no LPIs, and nothing is ever still to be written. SYNCR: nothing to wait for. */
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
		return owner->index; /* its affinity */
	case GICR_WAKER:
		return dist->asleep[owner->index]
			       ? GICR_WAKER_PROCESSOR_SLEEP | GICR_WAKER_CHILDREN_ASLEEP
			       : 0;
	default:
		return offset >= PIDR4 ? vgicd_id_register((offset - PIDR4) / 4, PART_GICR) : 0;
	}
}

/* Any vCPU may access any frame. */
uint64_t vgicr_read_word(struct vcpu *vcpu, uint32_t offset)
{
	struct vgicd *dist = vcpu->dist;
	unsigned index = RD_FRAME(offset);

	offset %= VGICR_SIZE;
	if (index >= dist->vcpu_count)
		return 0;
	if (offset < GICR_SGI_OFFSET)
		return read_rd_base(dist->vcpu[index], offset);
	offset -= GICR_SGI_OFFSET;
	return in_private_banks(offset) ? vgicd_bank_read(vcpu, dist->vcpu[index], offset) : 0;
}

/* WAKER: the firmware that a guest would have behind it has woken it. Asleep, an interrupt wakes
 * the vCPU as the power controller would: it is signalled as ever, and the guest that obeys the
 * rules has its CPU interface off (IHI 0069 12.11.42). */
void vgicr_write_word(struct vcpu *vcpu, uint32_t offset, uint32_t value, uint32_t lanes)
{
	struct vgicd *dist = vcpu->dist;
	unsigned index = RD_FRAME(offset);

	offset %= VGICR_SIZE;
	if (index >= dist->vcpu_count)
		return;
	if (offset == GICR_WAKER && lanes == VGICD_ALL_LANES)
		dist->asleep[index] = value & GICR_WAKER_PROCESSOR_SLEEP;
	else if (offset >= GICR_SGI_OFFSET && in_private_banks(offset - GICR_SGI_OFFSET))
		vgicd_bank_write(vcpu, dist->vcpu[index], offset - GICR_SGI_OFFSET, value, lanes);
}

/* --- SGIs (IHI 0069 12.2.19) --- */

static uint32_t targets_of(const struct vcpu *vcpu, uint64_t value)
{
	if (value & SGIR_IRM)
		return vgicd_all_vcpus(vcpu->dist) & ~BIT(vcpu->index);
	if (value & SGIR_ELSEWHERE)
		return 0;
	return SGIR_TARGETS(value) & vgicd_all_vcpus(vcpu->dist);
}

static void send_to_self(struct vcpu *vcpu, unsigned id)
{
	vgic_set_pending(&vcpu->vgic, &vcpu->vgic.virq[id], 0);
}

static void send(struct vcpu *vcpu, uint32_t targets, unsigned id)
{
	for (; targets; targets &= targets - 1) {
		unsigned i = bit_lowest(targets);

		if (i == vcpu->index)
			send_to_self(vcpu, id);
		else
			vgic_post_sgi(vcpu->dist->vcpu[i], id, 0);
	}
}

static __cold void send_slowly(struct vcpu *vcpu, uint64_t value)
{
	send(vcpu, targets_of(vcpu, value), SGIR_INTID(value));
}

void vgicd_sgi1r(struct vcpu *vcpu, uint64_t value)
{
	if ((value & ~SGIR_INTID_FIELD) == BIT64(vcpu->index))
		send_to_self(vcpu, SGIR_INTID(value));
	else
		send_slowly(vcpu, value);
}

__cold void vgicd_sgi0r(struct vcpu *vcpu, uint64_t value)
{
	unsigned id = SGIR_INTID(value);
	uint32_t targets = targets_of(vcpu, value);
	uint32_t group0 = 0;

	for (unsigned i = 0; i < vcpu->dist->vcpu_count; i++)
		if (!(vcpu->dist->private[VGICD_GROUP1][i] >> id & 1))
			group0 |= BIT(i);
	send(vcpu, targets & group0, id);
}
