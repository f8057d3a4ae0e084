/* SPDX-License-Identifier: Apache-2.0 */
/* GICv2: the memory-mapped CPU interface (GICC) and virtual interface control (GICH). IHI 0048B.
 * gicv2_split.c or gicv2_combined.c has the end of an interrupt. */
#include "arch/barrier.h"
#include "drivers/gic/gic_internal.h"
#include "drivers/gic/gic_virt.h"
#include "lib/bits.h"

/* The registers of GICH, by their GICv3 names. */
#define GICH(name, offset)                                                                         \
	static inline uint32_t read_ich_##name##_el2(void)                                         \
	{                                                                                          \
		return mmio_read32(gich() + (offset));                                             \
	}                                                                                          \
	static inline void write_ich_##name##_el2(uint32_t value)                                  \
	{                                                                                          \
		mmio_write32(gich() + (offset), value);                                            \
	}
GICH(hcr, GICH_HCR)
GICH(vtr, GICH_VTR)
GICH(vmcr, GICH_VMCR)
GICH(eisr, GICH_EISR0)

/* gem5's ELRSR also reports registers whose end awaits its follow-up. */
static inline uint32_t read_elrsr_at(uintptr_t hyp)
{
	uint32_t empty = mmio_read32(hyp + GICH_ELRSR0);

	return gic_splits_ends() ? empty : empty & ~read_ich_eisr_el2();
}

static inline uint32_t read_ich_elrsr_el2(void)
{
	return read_elrsr_at(gich());
}

/* GICH_LR, 5.3.8 */
typedef uint32_t lr_t;
#define LR_MOST GIC_LR_MAX
#define LR_SOURCE(core) ((core) << 10)
#define LR_SOURCE_OF(value) ((value) >> 10 & 7)
#define LR_PINTID_SHIFT 10
#define LR_PINTID_MASK (0x3ffu << LR_PINTID_SHIFT)
#define LR_EOI (1u << 19)
#define LR_PRIORITY(priority) ((priority) >> 3 << 23)
#define LR_PRIORITY_OF(value) ((value) >> 20 & 0xf8)
#define LR_STATE_SHIFT 28
#define LR_GROUP1 (1u << 30)
#define LR_HW (1u << 31)

static const uint32_t trap_dir; /* GICv2 has no such trap */

#include "drivers/gic/gic_virt.c.inc"

unsigned gic_version(void)
{
	return 2;
}

unsigned gic_probe_version(void)
{
	return mmio_read32(gicd() + GICD_V2_PIDR2) >> 4 & 0xfu;
}

uintptr_t gic_private_base(void)
{
	return gicd();
}

void gic_wait_for_writes(unsigned intid)
{
	(void)mmio_read32(gicd() + GICD_ICENABLER + intid / 32 * 4);
}

void gic_route_spis_here(unsigned count)
{
	/* ITARGETSR0 reads as this core's own bit in every byte (4.3.12). */
	uint32_t here = mmio_read32(gicd() + GICD_ITARGETSR);

	for (unsigned intid = GIC_PRIVATE_COUNT; intid < count; intid += 4)
		mmio_write32(gicd() + GICD_ITARGETSR + intid, here);
}

void gic_route_spi_here(unsigned intid)
{
	mmio_write8(gicd() + GICD_ITARGETSR + intid, (uint8_t)mmio_read32(gicd() + GICD_ITARGETSR));
}

/* Enable both groups. Without the security extensions interrupts are Group 0; with them, in
 * Non-secure state, bit 0 means Group 1 and bit 1 is reserved (4.3.1). GICC_CTLR is alike. */
const uint32_t gic_dist_enable = GICD_CTLR_ENABLE_GRP0 | GICD_CTLR_ENABLE_GRP1;

void gic_private_prepare(void)
{
}

void gic_send_sgi_self(unsigned id)
{
	/* TargetListFilter 2 selects this core */
	mmio_write32(gicd() + GICD_SGIR, 2u << 24 | id);
}

void gic_send_sgi(unsigned id, unsigned core)
{
	mmio_write32(gicd() + GICD_SGIR, 1u << (16 + core) | id);
}

static void clear_active_priorities(void)
{
	for (unsigned i = 0; i < 4; i++)
		mmio_write32(gicc() + GICC_APR0 + 4 * i, 0);
}

/* Put interrupts into Group 1, which is Non-secure (4.3.4). Non-secure state cannot raise the
 * priority mask out of the half that Secure state left (4.4.2). */
void gic_all_nonsecure(void)
{
	unsigned count = gic_intid_count();

	if (!(mmio_read32(gicd() + GICD_TYPER) & GICD_TYPER_SECURITY))
		return;
	mmio_write32(gicd() + GICD_CTLR, 0);
	for (unsigned intid = 0; intid < count; intid += 32)
		mmio_write32(gicd() + GICD_IGROUPR + intid / 8, ~0u);
	mmio_write32(gicc() + GICC_CTLR, 0);
	mmio_write32(gicc() + GICC_PMR, 0xff);
	clear_active_priorities(); /* those of Group 0 */
}

/* End each active interrupt, which drops its priority: a write cannot clear active priorities. */
void gic_cpu_abandon(void)
{
	unsigned count = gic_intid_count();

	gic_cpu_init(false);
	mmio_write32(gicc() + GICC_BPR, 0);
	for (unsigned intid = 0; intid < count; intid++)
		if (gic_read_bit(intid, GICD_ISACTIVER))
			gic_eoi(intid);
	clear_active_priorities();
}

uint32_t gic_ack(void)
{
	return mmio_read32(gicc() + GICC_IAR);
}

void gic_eoi(uint32_t iar)
{
	mmio_write32(gicc() + GICC_EOIR, iar);
}

unsigned gic_virt_init(void)
{
	return gic_bases()->hyp ? find_list_registers() : 0;
}

static inline void save_list_registers(struct gic_virt_state *state, uintptr_t hyp)
{
	state->used = ~read_elrsr_at(hyp) & lr_mask;
	/* bound: LIST_REGISTERS */
	for (uint32_t left = state->used; left; left &= left - 1) {
		uintptr_t i = bit_lowest(left);

		state->lr[i] = mmio_read32(hyp + GICH_LR0 + i * 4);
		mmio_clear32(hyp + GICH_LR0 + i * 4);
	}
}

static inline void restore_list_registers(const struct gic_virt_state *state, uintptr_t hyp)
{
	/* bound: LIST_REGISTERS */
	for (uint32_t left = state->used; left; left &= left - 1) {
		uintptr_t i = bit_lowest(left);

		mmio_write32(hyp + GICH_LR0 + i * 4, (uint32_t)state->lr[i]);
	}
}

void gic_virt_save(struct gic_virt_state *state)
{
	const uintptr_t hyp = gich();

	state->hcr = mmio_read32(hyp + GICH_HCR);
	state->vmcr = mmio_read32(hyp + GICH_VMCR);
	state->apr[0] = mmio_read32(hyp + GICH_APR);
	save_list_registers(state, hyp);
}

bool gic_virt_switch(struct gic_virt_state *from, const struct gic_virt_state *to)
{
	const uintptr_t hyp = gich();
	uint64_t control = pair_of(mmio_read32(hyp + GICH_HCR), mmio_read32(hyp + GICH_VMCR));
	uint32_t apr;

	from->control = control;
	if (control != to->control) {
		mmio_write32(hyp + GICH_HCR, to->hcr);
		mmio_write32(hyp + GICH_VMCR, to->vmcr);
	}
	apr = mmio_read32(hyp + GICH_APR);
	from->apr[0] = apr;
	if (apr != to->apr[0])
		mmio_write32(hyp + GICH_APR, to->apr[0]);
	from->used = ~read_elrsr_at(hyp) & lr_mask;
	if (from->used | (to->used & ~1u))
		return false;
	if (to->used)
		mmio_write32(hyp + GICH_LR0, (uint32_t)to->lr[0]);
	return true;
}

void gic_virt_switch_lrs(struct gic_virt_state *from, const struct gic_virt_state *to)
{
	const uintptr_t hyp = gich();

	save_list_registers(from, hyp);
	restore_list_registers(to, hyp);
}

void gic_virt_restore(const struct gic_virt_state *state)
{
	const uintptr_t hyp = gich();

	mmio_write32(hyp + GICH_HCR, state->hcr);
	mmio_write32(hyp + GICH_VMCR, state->vmcr);
	mmio_write32(hyp + GICH_APR, state->apr[0]);
	restore_list_registers(state, hyp);
}

uint64_t gic_lr_read(unsigned index)
{
	return mmio_read32(gich() + GICH_LR0 + index * 4);
}

void gic_lr_write(unsigned index, uint64_t value)
{
	mmio_write32(gich() + GICH_LR0 + index * 4, (uint32_t)value);
}

uint32_t gic_virt_active_priorities(void)
{
	return mmio_read32(gich() + GICH_APR);
}
