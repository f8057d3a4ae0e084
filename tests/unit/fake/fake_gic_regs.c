/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of the fake GIC. Registers of physical groups, which a GIC need not have, read as zero
 * and ignore writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arch/sysreg_gicv3.h"
#include "drivers/gic/gic_regs.h"
#include "lib/bits.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/fake/fake_gic_model.h"

#define DIST_SIZE 0x10000u
#define CPU_SIZE 0x2000u
#define HYP_SIZE 0x200u
#define REDIST_SIZE 0x20000u

const struct gic_bases fake_gic_bases = {
	.dist = 0x08000000,
	.cpu = 0x08010000,
	.hyp = 0x08030000,
	.vcpu = 0x08040000,
	.redist = 0x080a0000,
};

static bool within(uintptr_t address, uintptr_t base, uintptr_t size, uint32_t *offset)
{
	*offset = (uint32_t)(address - base);
	return address - base < size;
}

/* --- the distributor, and the redistributor's part of it --- */

/* GICv3 has private interrupts only in the redistributor. */
static bool is_here(unsigned intid, bool redist)
{
	return gic_version() == 2 || redist == (intid < GIC_PRIVATE_COUNT);
}

/* Return the state of an interrupt that a bank of bits shows, or NULL for groups. A bank that sets
 * bits and the next one, which clears them, show the same state. */
static bool *bit_of(uint32_t bank, unsigned intid)
{
	struct fake_irq *irq = &fake_gic.irq[intid];

	switch (bank & ~(GICD_ISENABLER ^ GICD_ICENABLER)) {
	case GICD_ISENABLER:
		return &irq->enabled;
	case GICD_ISPENDR:
		return &irq->pending_latch;
	case GICD_ISACTIVER:
		return &irq->active;
	default:
		return NULL;
	}
}

static bool read_bit(uint32_t bank, unsigned intid)
{
	const bool *bit = bit_of(bank, intid);

	if (bank == GICD_ISPENDR || bank == GICD_ICPENDR)
		return fake_gic_pending(intid);
	return bit && *bit;
}

static void write_bit(uint32_t bank, unsigned intid)
{
	bool *bit = bit_of(bank, intid);

	if (bit)
		*bit = !(bank & (GICD_ISENABLER ^ GICD_ICENABLER));
}

static bool in_bits(uint32_t offset)
{
	return offset >= GICD_IGROUPR && offset < GICD_IPRIORITYR;
}

static uint32_t read_bits(uint32_t offset, bool redist)
{
	unsigned first = offset % 0x80 * 8;
	uint32_t value = 0;

	for (unsigned i = 0; i < 32 && first + i < FAKE_GIC_INTIDS; i++)
		if (is_here(first + i, redist) && read_bit(offset & ~0x7fu, first + i))
			value |= BIT(i);
	return value;
}

static void write_bits(uint32_t offset, uint32_t value, bool redist)
{
	unsigned first = offset % 0x80 * 8;

	for (; value; value &= value - 1) {
		unsigned intid = first + bit_lowest(value);

		if (intid < FAKE_GIC_INTIDS && is_here(intid, redist))
			write_bit(offset & ~0x7fu, intid);
	}
}

static void write_priorities(unsigned first, unsigned size, uint64_t value, bool redist)
{
	for (unsigned i = 0; i < size; i++)
		if (first + i < FAKE_GIC_INTIDS && is_here(first + i, redist))
			fake_gic.irq[first + i].priority = (uint8_t)(value >> 8 * i) & 0xf8;
}

/* Only GICv2 has ITARGETSR. The registers of private interrupts read as this core's bit (IHI 0048B
 * 4.3.12). */
static bool in_targets(uint32_t offset)
{
	return gic_version() == 2 && offset >= GICD_ITARGETSR && offset < GICD_ICFGR;
}

static uint64_t read_targets(uint32_t offset)
{
	if (offset < GICD_ITARGETSR + GIC_PRIVATE_COUNT)
		return 0x01010101u * fake_gic.this_core;
	return 0;
}

static void write_targets(unsigned first, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		if (first + i >= GIC_PRIVATE_COUNT && first + i < FAKE_GIC_INTIDS)
			fake_gic.irq[first + i].route = value >> 8 * i & 0xff;
}

/* Only GICv3 has IROUTER, which holds the affinity of a core. */
static bool in_routes(uint32_t offset)
{
	return gic_version() == 3 && offset >= GICD_IROUTER + 8 * GIC_PRIVATE_COUNT &&
	       offset < GICD_IROUTER + 8 * FAKE_GIC_INTIDS;
}

/* ICFGR of SPIs has two bits per interrupt; the upper bit means edge. */
static bool in_config(uint32_t offset)
{
	return offset >= GICD_ICFGR + GIC_PRIVATE_COUNT / 4 &&
	       offset < GICD_ICFGR + FAKE_GIC_INTIDS / 4;
}

static uint32_t read_config(unsigned first)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < 16; i++)
		value |= (uint32_t)fake_gic.irq[first + i].edge << (2 * i + 1);
	return value;
}

static void write_config(unsigned first, uint32_t value)
{
	for (unsigned i = 0; i < 16; i++) {
		struct fake_irq *irq = &fake_gic.irq[first + i];
		bool edge = value >> (2 * i + 1) & 1;

		if (irq->edge != edge && irq->enabled)
			fake_gic_broken("configured while it is enabled");
		irq->edge = edge;
	}
}

bool fake_gic_routed_here(unsigned intid)
{
	const struct fake_irq *irq = &fake_gic.irq[intid];

	if (intid < GIC_PRIVATE_COUNT)
		return true;
	if (irq->route == FAKE_GIC_NOWHERE)
		return false;
	return gic_version() == 2 ? irq->route & fake_gic.this_core
				  : irq->route == (fake_mpidr_el1 & 0xff00ffffff);
}

static uint64_t dist_read(uint32_t offset, bool redist)
{
	if (in_bits(offset))
		return read_bits(offset, redist);
	if (in_targets(offset))
		return read_targets(offset);
	if (in_config(offset) && !redist)
		return read_config((offset - GICD_ICFGR) * 4);
	return offset == GICD_TYPER && !redist ? FAKE_GIC_INTIDS / 32 - 1 : 0;
}

/* TargetListFilter 2 means this core. */
static void send_sgi(uint32_t value)
{
	if (value >> 24 == 2 || value >> 16 & fake_gic.this_core)
		fake_gic.irq[value & 0xf].pending_latch = true;
}

static void dist_write(uint32_t offset, unsigned size, uint64_t value, bool redist)
{
	if (in_bits(offset))
		write_bits(offset, (uint32_t)value, redist);
	else if (offset >= GICD_IPRIORITYR && offset < GICD_ITARGETSR)
		write_priorities(offset - GICD_IPRIORITYR, size, value, redist);
	else if (in_targets(offset))
		write_targets(offset - GICD_ITARGETSR, size, value);
	else if (in_routes(offset))
		fake_gic.irq[(offset - GICD_IROUTER) / 8].route = value;
	else if (in_config(offset))
		write_config((offset - GICD_ICFGR) * 4, (uint32_t)value);
	else if (offset == GICD_SGIR && gic_version() == 2)
		send_sgi((uint32_t)value);
	else if (offset == GICD_CTLR && !redist)
		fake_gic.dist_enabled = value & (GICD_CTLR_ENABLE_GRP0 | GICD_CTLR_ENABLE_GRP1);
}

/* --- GICv2: GICC, GICH --- */

static uint64_t cpu_read(uint32_t offset)
{
	return offset == GICC_IAR ? fake_gic_ack() : 0;
}

static void cpu_write(uint32_t offset, uint64_t value)
{
	switch (offset) {
	case GICC_CTLR:
		fake_gic.cpu.groups = value & 3;
		fake_gic.cpu.split_eoi = value & GICC_CTLR_EOIMODE;
		break;
	case GICC_PMR:
		fake_gic.cpu.mask = (uint8_t)value;
		break;
	case GICC_EOIR:
		fake_gic_eoi((uint32_t)value);
		break;
	case GICC_APR0:
		fake_gic.cpu.active_prio[0] = (uint32_t)value;
		break;
	case GICC_DIR:
		fake_gic_deactivate((uint32_t)value);
		break;
	default:
		break;
	}
}

/* The guest's CPU interface as VMCR shows it: GICH_VMCR (IHI 0048B 5.3.3) has five bits of PMR,
 * ICH_VMCR_EL2 (IHI 0069 12.4.9) has all of them. */
#define VMCR_GROUPS 3u
#define VMCR_EOIM (1u << 9)
#define VMCR_PMR_SHIFT 24
#define VMCR_CBPR (1u << 4)
#define VMCR_BPR0_SHIFT 21
#define VMCR_BPR1_SHIFT 18

static uint32_t read_vmcr(void)
{
	return fake_gic.guest.groups | (fake_gic.guest.split_eoi ? VMCR_EOIM : 0) |
	       (fake_gic.guest.common_point ? VMCR_CBPR : 0) |
	       (uint32_t)fake_gic.guest.point[0] << VMCR_BPR0_SHIFT |
	       (uint32_t)fake_gic.guest.point[1] << VMCR_BPR1_SHIFT |
	       (uint32_t)(fake_gic.guest.mask & 0xf8) << VMCR_PMR_SHIFT;
}

static void write_vmcr(uint32_t value)
{
	fake_gic.guest.groups = value & VMCR_GROUPS;
	fake_gic.guest.split_eoi = value & VMCR_EOIM;
	fake_gic.guest.common_point = value & VMCR_CBPR;
	fake_gic.guest.point[0] = value >> VMCR_BPR0_SHIFT & 7;
	fake_gic.guest.point[1] = value >> VMCR_BPR1_SHIFT & 7;
	fake_gic.guest.mask = (uint8_t)(value >> VMCR_PMR_SHIFT);
}

static uint64_t hyp_read(uint32_t offset)
{
	switch (offset) {
	case GICH_HCR:
		return fake_gic.hcr;
	case GICH_VMCR:
		return read_vmcr();
	case GICH_APR:
		return fake_gic.guest.active_prio[0];
	case GICH_VTR:
		return fake_gic.lr_count - 1;
	case GICH_EISR0:
		return fake_gic_eisr();
	case GICH_ELRSR0:
		return fake_gic_elrsr();
	default:
		return offset >= GICH_LR0 ? fake_gic.lr[(offset - GICH_LR0) / 4 % GIC_LR_MAX] : 0;
	}
}

static void hyp_write(uint32_t offset, uint64_t value)
{
	if (offset == GICH_HCR)
		fake_gic.hcr = (uint32_t)value;
	else if (offset == GICH_VMCR)
		write_vmcr((uint32_t)value);
	else if (offset == GICH_APR)
		fake_gic.guest.active_prio[0] = (uint32_t)value;
	else if (offset >= GICH_LR0)
		fake_gic_write_lr((offset - GICH_LR0) / 4, value);
}

static uint64_t mmio_read(uintptr_t address, unsigned size)
{
	uint32_t offset;

	if (size == 4 && within(address, fake_gic_bases.dist, DIST_SIZE, &offset))
		return dist_read(offset, false);
	if (gic_version() == 2 && within(address, fake_gic_bases.cpu, CPU_SIZE, &offset))
		return cpu_read(offset);
	if (gic_version() == 2 && within(address, fake_gic_bases.hyp, HYP_SIZE, &offset))
		return hyp_read(offset);
	if (gic_version() == 3 && within(address, fake_gic_bases.redist, REDIST_SIZE, &offset) &&
	    offset == GICR_TYPER && size == 8) /* the affinity is in the upper half */
		return (fake_mpidr_el1 & 0xffffff) << 32;
	if (gic_version() == 3 && within(address, fake_gic_bases.redist, REDIST_SIZE, &offset))
		return offset < GICR_SGI_OFFSET ? 0 : dist_read(offset - GICR_SGI_OFFSET, true);
	fail_msg("no GIC register of %u bytes at %#lx", size, (unsigned long)address);
	return 0;
}

static void mmio_write(uintptr_t address, unsigned size, uint64_t value)
{
	uint32_t offset;

	if (within(address, fake_gic_bases.dist, DIST_SIZE, &offset))
		dist_write(offset, size, value, false);
	else if (gic_version() == 2 && within(address, fake_gic_bases.cpu, CPU_SIZE, &offset))
		cpu_write(offset, value);
	else if (gic_version() == 2 && within(address, fake_gic_bases.hyp, HYP_SIZE, &offset))
		hyp_write(offset, value);
	else if (gic_version() == 3 &&
		 within(address, fake_gic_bases.redist, REDIST_SIZE, &offset) &&
		 offset >= GICR_SGI_OFFSET)
		dist_write(offset - GICR_SGI_OFFSET, size, value, true);
	else if (gic_version() == 2 || offset != GICR_WAKER)
		fail_msg("no GIC register of %u bytes at %#lx", size, (unsigned long)address);
}

/* --- GICv3: system registers --- */

#define VTR_TDS (1u << 19)

static int lr_index(const reg_t *variable)
{
	const reg_t *const lr[] = { &fake_ich_lr0_el2, &fake_ich_lr1_el2, &fake_ich_lr2_el2,
				    &fake_ich_lr3_el2 };

	for (int i = 0; i < 4; i++)
		if (variable == lr[i])
			return i;
	return -1;
}

/* Registers that read back the written value. */
static uint32_t *word_of(const reg_t *variable)
{
	static const struct {
		const reg_t *variable;
		uint32_t *word;
	} rows[] = {
		{ &fake_ich_hcr_el2, &fake_gic.hcr },
		{ &fake_ich_ap0r0_el2, &fake_gic.guest.active_prio[0] },
		{ &fake_ich_ap1r0_el2, &fake_gic.guest.active_prio[1] },
		{ &fake_icc_ap0r0_el1, &fake_gic.cpu.active_prio[0] },
		{ &fake_icc_ap1r0_el1, &fake_gic.cpu.active_prio[1] },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		if (variable == rows[i].variable)
			return rows[i].word;
	return NULL;
}

static bool sysreg_read(const uint64_t *variable, uint64_t *value)
{
	if (lr_index(variable) >= 0)
		*value = fake_gic.lr[lr_index(variable)];
	else if (word_of(variable))
		*value = *word_of(variable);
	else if (variable == &fake_icc_iar1_el1)
		*value = fake_gic_ack();
	else if (variable == &fake_ich_vtr_el2)
		*value = (fake_gic.lr_count - 1) | (fake_gic.has_tdir ? VTR_TDS : 0);
	else if (variable == &fake_ich_vmcr_el2)
		*value = read_vmcr();
	else if (variable == &fake_ich_eisr_el2)
		*value = fake_gic_eisr();
	else if (variable == &fake_ich_elrsr_el2)
		*value = fake_gic_elrsr();
	else
		return false;
	return true;
}

static bool sysreg_write(const uint64_t *variable, uint64_t value)
{
	if (lr_index(variable) >= 0)
		fake_gic_write_lr((unsigned)lr_index(variable), value);
	else if (word_of(variable))
		*word_of(variable) = (uint32_t)value;
	else if (variable == &fake_icc_eoir1_el1)
		fake_gic_eoi((uint32_t)value);
	else if (variable == &fake_icc_dir_el1)
		fake_gic_deactivate((uint32_t)value);
	else if (variable == &fake_icc_pmr_el1)
		fake_gic.cpu.mask = (uint8_t)value;
	else if (variable == &fake_icc_ctlr_el1)
		fake_gic.cpu.split_eoi = value & 2;
	else if (variable == &fake_icc_igrpen1_el1)
		fake_gic.cpu.groups = value & 1 ? 2 : 0;
	else if (variable == &fake_ich_vmcr_el2)
		write_vmcr((uint32_t)value);
	else
		return false;
	return true;
}

void fake_gic_hook_registers(void)
{
	fake_mmio = (struct fake_mmio){ mmio_read, mmio_write };
	if (gic_version() == 3)
		fake_sysregs = (struct fake_sysregs){ sysreg_read, sysreg_write };
}
