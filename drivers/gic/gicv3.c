/* SPDX-License-Identifier: Apache-2.0 */
/* GICv3: the CPU interface and virtual interface control in system registers, one redistributor a
 * core, affinity routing on, all interrupts in Group 1. IHI 0069. */
#include "arch/barrier.h"
#include "arch/sysreg_gicv3.h"
#include "drivers/gic/gic_internal.h"
#include "drivers/gic/gic_virt.h"
#include "lib/bits.h"
#include "lib/percpu.h"

#define GICR_CTLR_RWP (1u << 3)
#define GICR_TYPER_IS_LAST (1u << 4)
#define GICR_STRIDE 0x20000u /* a GICv4 has twice this stride */

/* ICC_SRE: system registers on; at EL2: EL1 may use them too (12.2.24) */
#define SRE_SRE 1u
#define SRE_DFB_DIB 6u
#define SRE_EL2_ENABLE 8u

#define ICC_CTLR_EOIMODE (1u << 1)

/* More bits of ICH_HCR_EL2. */
#define HCR_TDIR (1u << 14)

#define VTR_TDS (1u << 19)

/* ICH_LR<n>_EL2, 12.4.8 */
typedef uint64_t lr_t;
#define LR_MOST 4u /* the driver uses four list registers at most */
#define LR_SOURCE(core) 0u
#define LR_SOURCE_OF(value) ((value)&0) /* a GICv3 has no source */
#define LR_PINTID_SHIFT 32
#define LR_PINTID_MASK (0x1fffull << LR_PINTID_SHIFT)
#define LR_EOI (1ull << 41)
#define LR_PRIORITY(priority) ((uint64_t)(priority) << 48)
#define LR_PRIORITY_OF(value) ((value) >> 48)
#define LR_GROUP1 (1ull << 60)
#define LR_HW (1ull << 61)
#define LR_STATE_SHIFT 62

static uint32_t trap_dir;           /* HCR_TDIR, or 0 without such a trap */
static uintptr_t redist PERCPU_HOT; /* this core's redistributor: RD_base */

#include "drivers/gic/gic_virt.c.inc"

bool gic_splits_ends(void)
{
	return true;
}

unsigned gic_version(void)
{
	return 3;
}

unsigned gic_probe_version(void)
{
	/* A GICv2's distributor ends before GICD_V3_PIDR2. ID_AA64PFR0_EL1.GIC may read 0 although
	 * the system registers exist (gem5); then GICD_V2_PIDR2, reserved in a GICv3, decides. */
	if ((read_id_aa64pfr0_el1() >> 24 & 0xf) == 0 && mmio_read32(gicd() + GICD_V2_PIDR2) != 0)
		return 0;
	return mmio_read32(gicd() + GICD_V3_PIDR2) >> 4 & 0xfu;
}

uintptr_t gic_private_base(void)
{
	return redist + GICR_SGI_OFFSET;
}

void gic_wait_for_writes(unsigned intid)
{
	if (intid < GIC_PRIVATE_COUNT)
		/* wait: gic */
		while (mmio_read32(redist + GICR_CTLR) & GICR_CTLR_RWP)
			;
	else
		/* wait: gic */
		while (mmio_read32(gicd() + GICD_CTLR) & GICD_CTLR_RWP)
			;
}

void gic_route_spi_here(unsigned intid)
{
	mmio_write64(gicd() + GICD_IROUTER + 8ul * intid, read_mpidr_el1() & 0xff00ffffffull);
}

/* Route every SPI here and put it into Group 1: only a GICv3 signals Group 0 separately. */
void gic_route_spis_here(unsigned count)
{
	for (unsigned intid = GIC_PRIVATE_COUNT; intid < count; intid += 32)
		mmio_write32(gic_bit_register(intid, GICD_IGROUPR), ~0u);
	/* IROUTER is writable only while affinity routing is on. */
	mmio_write32(gicd() + GICD_CTLR, GICD_CTLR_ARE);
	gic_wait_for_writes(GIC_PRIVATE_COUNT);
	for (unsigned intid = GIC_PRIVATE_COUNT; intid < count; intid++)
		gic_route_spi_here(intid);
}

const uint32_t gic_dist_enable = GICD_CTLR_ARE | GICD_CTLR_ENABLE_GRP1;

static void wake_redistributor(void)
{
	uint32_t waker = mmio_read32(redist + GICR_WAKER);

	mmio_write32(redist + GICR_WAKER, waker & ~GICR_WAKER_PROCESSOR_SLEEP);
	while (mmio_read32(redist + GICR_WAKER) & GICR_WAKER_CHILDREN_ASLEEP)
		;
}

/* Find this core's redistributor by GICR_TYPER, whose upper word is the core's affinity (IHI 0069
 * 12.11.32). Read the register as a whole: gem5 reads the upper half alone as 0, so that each core
 * would choose the last redistributor. */
static void find_redistributor(void)
{
	uint64_t mpidr = read_mpidr_el1();
	uint32_t affinity = (uint32_t)(mpidr >> 8 & 0xff000000) | (uint32_t)(mpidr & 0xffffff);
	uint64_t typer;

	redist = gic_bases()->redist;
	typer = mmio_read64(redist + GICR_TYPER);
	while (typer >> 32 != affinity && !(typer & GICR_TYPER_IS_LAST)) {
		redist += GICR_STRIDE;
		typer = mmio_read64(redist + GICR_TYPER);
	}
}

void gic_private_prepare(void)
{
	find_redistributor();
	wake_redistributor();
	mmio_write32(gic_private_base() + GICD_IGROUPR, ~0u);
}

void gic_send_sgi_self(unsigned id)
{
	uint64_t mpidr = read_mpidr_el1();
	uint64_t aff321 = (mpidr & 0xff00000000ull) << 16 | (mpidr & 0xff0000u) << 16 |
			  (mpidr & 0xff00u) << 8;

	write_icc_sgi1r_el1(aff321 | (uint64_t)id << 24 | 1ull << (mpidr & 0xfu));
	isb();
}

void gic_send_sgi(unsigned id, unsigned core)
{
	write_icc_sgi1r_el1((uint64_t)id << 24 | 1ull << core);
	isb();
}

/* Select Non-secure Group 1: IGROUPR 1, IGRPMODR 0 (12.9.14). With one security state the reset
 * sets the same values. */
void gic_all_nonsecure(void)
{
	unsigned count = gic_intid_count();

	write_icc_sre_el3(SRE_SRE | SRE_DFB_DIB | SRE_EL2_ENABLE);
	isb();
	mmio_write32(gicd() + GICD_CTLR, 0);
	gic_wait_for_writes(GIC_PRIVATE_COUNT);
	find_redistributor();
	wake_redistributor();
	for (unsigned intid = 0; intid < count; intid += 32) {
		mmio_write32(gic_bit_register(intid, GICD_IGROUPR), ~0u);
		mmio_write32(gic_bit_register(intid, GICD_IGRPMODR), 0);
	}
	mmio_write32(gicd() + GICD_CTLR, GICD_CTLR_ARE | GICD_CTLR_ARE_NS);
	gic_wait_for_writes(GIC_PRIVATE_COUNT);
	write_icc_pmr_el1(0xff);
	write_icc_ap0r0_el1(0);
	write_icc_ap1r0_el1(0); /* the Secure one */
	isb();
}

void gic_cpu_init(bool split_eoi)
{
	write_icc_sre_el1(SRE_SRE | SRE_DFB_DIB);
	isb();
	write_icc_pmr_el1(0xff);
	write_icc_bpr1_el1(0);
	write_icc_ctlr_el1(split_eoi ? ICC_CTLR_EOIMODE : 0);
	write_icc_igrpen1_el1(1);
	isb();
}

/* With two security states the priorities of Group 0 belong to Secure state. */
void gic_cpu_abandon(void)
{
	if (mmio_read32(gicd() + GICD_CTLR) & GICD_CTLR_DS)
		write_icc_ap0r0_el1(0);
	write_icc_ap1r0_el1(0);
	isb();
}

uint32_t gic_ack(void)
{
	return (uint32_t)read_icc_iar1_el1();
}

void gic_eoi(uint32_t iar)
{
	write_icc_eoir1_el1(iar);
}

void gic_deactivate(uint32_t iar)
{
	write_icc_dir_el1(iar);
}

unsigned gic_virt_init(void)
{
	write_icc_sre_el2(SRE_SRE | SRE_DFB_DIB | SRE_EL2_ENABLE);
	isb();
	find_redistributor();
	trap_dir = read_ich_vtr_el2() & VTR_TDS ? HCR_TDIR : 0;
	return find_list_registers();
}

static inline void save_list_registers(struct gic_virt_state *state)
{
	state->used = ~(uint32_t)read_ich_elrsr_el2() & lr_mask;
	/* bound: LIST_REGISTERS */
	for (uint32_t left = state->used; left; left &= left - 1) {
		unsigned i = bit_lowest(left);

		state->lr[i] = gic_lr_read(i);
		gic_lr_write(i, 0);
	}
}

static inline void restore_list_registers(const struct gic_virt_state *state)
{
	/* bound: LIST_REGISTERS */
	for (uint32_t left = state->used; left; left &= left - 1)
		gic_lr_write(bit_lowest(left), state->lr[bit_lowest(left)]);
}

void gic_virt_save(struct gic_virt_state *state)
{
	state->hcr = (uint32_t)read_ich_hcr_el2();
	state->vmcr = (uint32_t)read_ich_vmcr_el2();
	state->apr[0] = (uint32_t)read_ich_ap0r0_el2();
	state->apr[1] = (uint32_t)read_ich_ap1r0_el2();
	save_list_registers(state);
}

bool gic_virt_switch(struct gic_virt_state *from, const struct gic_virt_state *to)
{
	uint64_t control = pair_of(read_ich_hcr_el2(), read_ich_vmcr_el2());
	uint64_t active = pair_of(read_ich_ap0r0_el2(), read_ich_ap1r0_el2());

	from->control = control;
	from->active = active;
	if (active != to->active) {
		write_ich_ap0r0_el2(to->apr[0]);
		write_ich_ap1r0_el2(to->apr[1]);
	}
	if (control != to->control) {
		write_ich_vmcr_el2(to->vmcr);
		write_ich_hcr_el2(to->hcr);
	}
	from->used = ~(uint32_t)read_ich_elrsr_el2() & lr_mask;
	if (from->used | (to->used & ~1u))
		return false;
	if (to->used)
		write_ich_lr0_el2(to->lr[0]);
	return true;
}

void gic_virt_switch_lrs(struct gic_virt_state *from, const struct gic_virt_state *to)
{
	save_list_registers(from);
	restore_list_registers(to);
}

void gic_virt_restore(const struct gic_virt_state *state)
{
	write_ich_vmcr_el2(state->vmcr);
	write_ich_ap0r0_el2(state->apr[0]);
	write_ich_ap1r0_el2(state->apr[1]);
	restore_list_registers(state);
	write_ich_hcr_el2(state->hcr);
}

/* Each test of a bit is one instruction. */
uint64_t gic_lr_read(unsigned index)
{
	if (index & 2)
		return index & 1 ? read_ich_lr3_el2() : read_ich_lr2_el2();
	return index & 1 ? read_ich_lr1_el2() : read_ich_lr0_el2();
}

void gic_lr_write(unsigned index, uint64_t value)
{
	if (__builtin_expect(index == 0, 1))
		write_ich_lr0_el2(value);
	else if (!(index & 2))
		write_ich_lr1_el2(value);
	else if (!(index & 1))
		write_ich_lr2_el2(value);
	else
		write_ich_lr3_el2(value);
}

uint32_t gic_virt_active_priorities(void)
{
	return (uint32_t)(read_ich_ap0r0_el2() | read_ich_ap1r0_el2());
}
