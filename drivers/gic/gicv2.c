/* SPDX-License-Identifier: Apache-2.0 */
/* GICv2: the memory-mapped CPU interface (GICC) and virtual interface control (GICH). IHI 0048B.
 * gicv2_split.c or gicv2_combined.c has the end of an interrupt. */
#include "arch/mmio.h"
#include "drivers/gic/gic_internal.h"
#include "drivers/gic/gic_regs.h"
#include "drivers/gic/gic_virt.h"
#include "lib/bits.h"

#define VMCR_EOIM (1u << 9)

/* GICH_LR, 5.3.8 */
#define LR_SOURCE_SHIFT 10
#define LR_EOI (1u << 19)
#define LR_PINTID_SHIFT 10
#define LR_PRIORITY_SHIFT 23
#define LR_STATE_SHIFT 28
#define LR_GROUP1 (1u << 30)
#define LR_HW (1u << 31)

static unsigned lr_count;
static uint32_t lr_mask; /* a bit for each */

unsigned gic_version(void)
{
	return 2;
}

unsigned gic_probe_version(void)
{
	return mmio_read32(gic.dist + GICD_V2_PIDR2) >> 4 & 0xfu;
}

uintptr_t gic_private_base(void)
{
	return gic.dist;
}

void gic_wait_for_writes(unsigned intid)
{
	(void)mmio_read32(gic.dist + GICD_ICENABLER + intid / 32 * 4);
}

void gic_route_spis_here(unsigned count)
{
	/* ITARGETSR0 reads as this core's own bit in every byte (4.3.12). */
	uint32_t here = mmio_read32(gic.dist + GICD_ITARGETSR);

	for (unsigned intid = GIC_PRIVATE_COUNT; intid < count; intid += 4)
		mmio_write32(gic.dist + GICD_ITARGETSR + intid, here);
}

void gic_route_spi_here(unsigned intid)
{
	mmio_write8(gic.dist + GICD_ITARGETSR + intid,
		    (uint8_t)mmio_read32(gic.dist + GICD_ITARGETSR));
}

/* Both groups: without the security extensions interrupts are Group 0; with them, in Non-secure
 * state, bit 0 means Group 1 and bit 1 is reserved (4.3.1). GICC_CTLR is alike. */
uint32_t gic_dist_enable_bits(void)
{
	return GICD_CTLR_ENABLE_GRP0 | GICD_CTLR_ENABLE_GRP1;
}

void gic_private_prepare(void)
{
}

void gic_find_redistributor(void)
{
}

void gic_send_sgi_self(unsigned id)
{
	mmio_write32(gic.dist + GICD_SGIR, 2u << 24 | id); /* TargetListFilter: this core */
}

void gic_send_sgi(unsigned id, unsigned core)
{
	mmio_write32(gic.dist + GICD_SGIR, 1u << (16 + core) | id);
}

/* Group 1 is Non-secure (4.3.4). Non-secure state cannot raise the priority mask out of the half
 * that Secure state left (4.4.2). */
void gic_all_nonsecure(void)
{
	unsigned count = gic_intid_count();

	if (!(mmio_read32(gic.dist + GICD_TYPER) & GICD_TYPER_SECURITY))
		return;
	mmio_write32(gic.dist + GICD_CTLR, 0);
	for (unsigned intid = 0; intid < count; intid += 32)
		mmio_write32(gic.dist + GICD_IGROUPR + intid / 8, ~0u);
	mmio_write32(gic.cpu + GICC_CTLR, 0);
	mmio_write32(gic.cpu + GICC_PMR, 0xff);
}

/* The end of each active interrupt drops its priority; a write cannot clear them. */
void gic_cpu_abandon(void)
{
	unsigned count = gic_intid_count();

	gic_cpu_init(false);
	mmio_write32(gic.cpu + GICC_BPR, 0);
	for (unsigned intid = 0; intid < count; intid++)
		if (gic_read_bit(intid, GICD_ISACTIVER))
			gic_eoi(intid);
	for (unsigned i = 0; i < 4; i++)
		mmio_write32(gic.cpu + GICC_APR0 + 4 * i, 0);
}

uint32_t gic_ack(void)
{
	return mmio_read32(gic.cpu + GICC_IAR);
}

void gic_eoi(uint32_t iar)
{
	mmio_write32(gic.cpu + GICC_EOIR, iar);
}

uint64_t gic_lr_encode(const struct gic_lr *lr)
{
	uint32_t value = lr->vintid | (uint32_t)lr->priority >> 3 << LR_PRIORITY_SHIFT |
			 (uint32_t)lr->state << LR_STATE_SHIFT | (lr->group1 ? LR_GROUP1 : 0);

	if (lr->hw)
		return value | LR_HW | lr->pintid << LR_PINTID_SHIFT;
	return value | lr->source << LR_SOURCE_SHIFT | (lr->eoi_irq ? LR_EOI : 0);
}

enum gic_lr_state gic_lr_state(uint64_t value)
{
	return (enum gic_lr_state)(value >> LR_STATE_SHIFT & 3);
}

uint64_t gic_lr_with_priority(uint64_t value, uint8_t priority)
{
	return (value & ~(0x1full << LR_PRIORITY_SHIFT)) | (uint64_t)(priority >> 3)
								   << LR_PRIORITY_SHIFT;
}

uint64_t gic_lr_with_eoi_irq(uint64_t value)
{
	if (value & LR_HW) /* the link's field holds this bit */
		value &= ~(uint64_t)(LR_HW | 0x3ffu << LR_PINTID_SHIFT);
	return value | LR_EOI;
}

unsigned gic_lr_source(uint64_t value)
{
	return (unsigned)(value >> LR_SOURCE_SHIFT & 7);
}

uint8_t gic_lr_priority(uint64_t value)
{
	return (uint8_t)((value >> LR_PRIORITY_SHIFT & 0x1f) << 3);
}

uint32_t gic_lr_active_priority(uint64_t value)
{
	return gic_virt_active_priority(mmio_read32(gic.hyp + GICH_VMCR), gic_lr_priority(value),
					value & LR_GROUP1);
}

unsigned gic_virt_init(void)
{
	if (gic.hyp == 0)
		return 0;
	lr_count = (mmio_read32(gic.hyp + GICH_VTR) & 0x3fu) + 1;
	if (lr_count > GIC_LR_MAX)
		lr_count = GIC_LR_MAX;
	lr_mask = (1u << lr_count) - 1;
	return lr_count;
}

void gic_virt_off(void)
{
	mmio_write32(gic.hyp + GICH_HCR, 0);
}

void gic_virt_cpu_reset(void)
{
	mmio_write32(gic.hyp + GICH_APR, 0);
	mmio_write32(gic.hyp + GICH_VMCR, 0);
}

void gic_virt_reset(void)
{
	for (unsigned i = 0; i < lr_count; i++)
		gic_lr_write(i, 0);
	mmio_write32(gic.hyp + GICH_APR, 0);
	mmio_write32(gic.hyp + GICH_VMCR, 0);
	mmio_write32(gic.hyp + GICH_HCR, HCR_EN);
}

void gic_virt_save(struct gic_virt_state *state)
{
	const uintptr_t hyp = gic.hyp;
	uint64_t *lr = state->lr;
	uint32_t hcr = mmio_read32(hyp + GICH_HCR);
	uint32_t vmcr = mmio_read32(hyp + GICH_VMCR);
	uint32_t apr = mmio_read32(hyp + GICH_APR);

	state->hcr = hcr;
	state->vmcr = vmcr;
	state->apr[0] = apr;
	state->used = ~gicv2_lrs_empty() & lr_mask;
	for (uintptr_t at = hyp + GICH_LR0, left = state->used; left; left >>= 1, at += 4, lr++) {
		if (left & 1) {
			*lr = mmio_read32(at);
			mmio_write32(at, 0);
		}
	}
}

void gic_virt_restore(const struct gic_virt_state *state)
{
	const uintptr_t hyp = gic.hyp;
	const uint64_t *lr = state->lr;

	mmio_write32(hyp + GICH_HCR, state->hcr);
	mmio_write32(hyp + GICH_VMCR, state->vmcr);
	mmio_write32(hyp + GICH_APR, state->apr[0]);
	for (uintptr_t at = hyp + GICH_LR0, left = state->used; left; left >>= 1, at += 4, lr++)
		if (left & 1)
			mmio_write32(at, (uint32_t)*lr);
}

uint64_t gic_lr_read(unsigned index)
{
	return mmio_read32(gic.hyp + GICH_LR0 + index * 4);
}

void gic_lr_write(unsigned index, uint64_t value)
{
	mmio_write32(gic.hyp + GICH_LR0 + index * 4, (uint32_t)value);
}

void gic_lr_clear(unsigned index)
{
	mmio_write32(gic.hyp + GICH_LR0 + index * 4, 0);
}

uint32_t gic_lr_empty(void)
{
	return gicv2_lrs_empty() & lr_mask;
}

uint32_t gic_lr_ended(void)
{
	return mmio_read32(gic.hyp + GICH_EISR0) & lr_mask;
}

void gic_virt_set_events(unsigned events)
{
	uint32_t hcr = HCR_EN;

	if (events & GIC_VIRT_NONE_PENDING)
		hcr |= HCR_NPIE;
	if (events & GIC_VIRT_ENDS_ELSEWHERE)
		hcr |= HCR_LRENPIE;
	if (events & GIC_VIRT_GROUP_CHANGES)
		hcr |= gic_virt_group_events(gic_virt_groups());
	mmio_write32(gic.hyp + GICH_HCR, hcr);
}

unsigned gic_virt_ends_elsewhere(void)
{
	uint32_t hcr = mmio_read32(gic.hyp + GICH_HCR);

	if (HCR_EOI_COUNT(hcr))
		mmio_write32(gic.hyp + GICH_HCR, hcr & ~HCR_EOI_COUNT_MASK);
	return HCR_EOI_COUNT(hcr);
}

unsigned gic_virt_groups(void)
{
	return mmio_read32(gic.hyp + GICH_VMCR) & 3u;
}

bool gic_virt_split_eoi(void)
{
	return mmio_read32(gic.hyp + GICH_VMCR) & VMCR_EOIM;
}

uint32_t gic_virt_active_priorities(void)
{
	return mmio_read32(gic.hyp + GICH_APR);
}

uintptr_t gic_guest_cpu_pa(bool guest_owns_the_interface)
{
	return guest_owns_the_interface ? gic.cpu : gic.vcpu;
}
