/* SPDX-License-Identifier: Apache-2.0 */

#include "drivers/gic/gic_regs.h"
#include "tests/unit/cores.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

#define SPI FAKE_SPI_FIRST /* physical */
#define SOFT 40u           /* pended by software, or an emulated device's */

static void boot(unsigned count)
{
	cores_boot(count);
	spi_enable(SPI);
	spi_enable(SOFT);
}

static void boot_two(void)
{
	boot(2);
}

static void boot_four(void)
{
	boot(4);
}

static void pend(unsigned n, unsigned intid)
{
	dist_write(n, GICD_ISPENDR + intid / 32 * 4, 4, 1u << intid % 32);
}

static unsigned physical_target(unsigned intid)
{
	uint64_t route = fake_gic.irq[intid].route;

	for (unsigned n = 0; n < VCPU_MAX; n++)
		if (route == (gic_version() == 2 ? 1u << n : n))
			return n;
	return 99;
}

#define BOTH(test) TEST_BY(test, boot_two, boot_four, cores_check_rules)

BOTH(it_goes_to_vcpu_0_at_first)
{
	spi_raise(SPI);
	assert_takes(0, SPI);
	pend(1, SOFT);
	assert_takes(0, SOFT);
	assert_nobody_takes_anything();
}

BOTH(it_goes_where_it_is_sent)
{
	for (unsigned round = 0; round < 2; round++)
		for (unsigned n = cores_vm.vcpu_count; n-- > 0;) {
			spi_target(SPI, n);
			spi_target(SOFT, n);
			assert_int_equal(physical_target(SPI), cores_vm.vcpu[n]->core);
			spi_raise(SPI);
			assert_takes(n, SPI);
			pend(0, SOFT);
			assert_takes(n, SOFT);
			assert_nobody_takes_anything();
		}
	assert_int_equal(fake_gic_deactivations(SPI), 2 * cores_vm.vcpu_count);
}

/* The first list register has it already when it goes. */
BOTH(pending_it_goes_along)
{
	pend(0, SOFT);
	spi_target(SOFT, 1);
	assert_true(spi_is_pending(SOFT));
	assert_takes(1, SOFT);
	assert_nobody_takes_anything();
	assert_false(spi_is_pending(SOFT));
}

BOTH(pending_a_physical_one_goes_along)
{
	spi_raise(SPI);
	spi_target(SPI, 1);
	assert_takes(1, SPI);
	assert_nobody_takes_anything();
	assert_false(fake_gic.irq[SPI].active);
}

BOTH(held_back_it_goes_along)
{
	dist_write(0, GICD_ICENABLER + 4, 4, 1u << (SOFT - 32));
	pend(0, SOFT);
	spi_target(SOFT, 1);
	assert_nobody_takes_anything();
	dist_write(1, GICD_ISENABLER + 4, 4, 1u << (SOFT - 32));
	assert_takes(1, SOFT);
}

BOTH(its_registers_go_along)
{
	dist_write(0, GICD_IPRIORITYR + SOFT, 1, 0x98);
	dist_write(0, GICD_ICFGR + SOFT / 4, 4, 0xaaaaaaaa);
	spi_target(SOFT, 1);
	assert_int_equal(dist_read(0, GICD_IPRIORITYR + SOFT, 1), 0x98);
	assert_int_equal(dist_read(1, GICD_ISENABLER + 4, 4), 1u << (SOFT - 32));
	assert_int_equal(dist_read(1, GICD_ICFGR + SOFT / 4, 4), 0xaaaaaaaa);
	assert_true(cores_vm.vcpu[1]->vgic.virq[SOFT].config.edge);
	assert_false(cores_vm.vcpu[0]->vgic.virq[SOFT].config.enabled);
	dist_write(0, GICD_IPRIORITYR + SOFT, 1, 0x20);
	assert_int_equal(cores_vm.vcpu[1]->vgic.virq[SOFT].config.priority, 0x20);
}

/* Active, it is ended where it is; pending again, it is for the new target. */
BOTH(active_it_stays_until_its_end)
{
	pend(0, SOFT);
	assert_int_equal(cpu_ack(0), SOFT);
	spi_target(SOFT, 1);
	assert_true(spi_is_active(SOFT));
	pend(0, SOFT);
	assert_true(spi_is_pending(SOFT));
	assert_int_equal(cpu_ack(1), GIC_SPURIOUS);
	cpu_eoi(0, SOFT);
	assert_false(spi_is_active(SOFT));
	assert_takes(1, SOFT);
	assert_nobody_takes_anything();
}

BOTH(active_a_physical_one_stays_until_its_end)
{
	spi_raise(SPI);
	assert_int_equal(cpu_ack(0), SPI);
	spi_target(SPI, 1);
	assert_true(spi_is_active(SPI));
	spi_raise(SPI);
	assert_int_equal(cpu_ack(1), GIC_SPURIOUS);
	cpu_eoi(0, SPI);
	assert_int_equal(fake_gic_deactivations(SPI), 1);
	assert_takes(1, SPI);
	assert_int_equal(fake_gic_deactivations(SPI), 2);
	assert_int_equal(physical_target(SPI), cores_vm.vcpu[1]->core);
}

BOTH(active_and_pending_it_goes_once_ended)
{
	pend(0, SOFT);
	assert_int_equal(cpu_ack(0), SOFT);
	pend(0, SOFT); /* active and pending, in one list register */
	spi_target(SOFT, 1);
	cpu_eoi(0, SOFT);
	assert_takes(1, SOFT);
	assert_nobody_takes_anything();
}

BOTH(sent_back_before_its_end_it_stays)
{
	pend(0, SOFT);
	assert_int_equal(cpu_ack(0), SOFT);
	spi_target(SOFT, 1);
	spi_target(SOFT, 0);
	cpu_eoi(0, SOFT);
	pend(0, SOFT);
	assert_takes(0, SOFT);
}

BOTH(sent_on_before_its_end_it_goes_to_the_last)
{
	pend(0, SOFT);
	assert_int_equal(cpu_ack(0), SOFT);
	for (unsigned n = 1; n < cores_vm.vcpu_count; n++)
		spi_target(SOFT, n);
	cpu_eoi(0, SOFT);
	pend(0, SOFT);
	assert_takes(cores_vm.vcpu_count - 1, SOFT);
}

/* The end is seen by the guest's next access, before the maintenance interrupt is. */
BOTH(an_end_that_an_access_sees_counts)
{
	pend(0, SOFT);
	assert_int_equal(cpu_ack(0), SOFT);
	spi_target(SOFT, 1);
	cores_settle_late(true);
	cpu_eoi(0, SOFT);
	dist_write(0, GICD_IPRIORITYR + 50, 1, 0x10);
	cores_settle_late(false);
	cores_settle();
	pend(0, SOFT);
	assert_takes(1, SOFT);
}

/* Likewise by what concerns this core alone. */
BOTH(an_end_that_the_core_sees_by_itself_counts)
{
	pend(0, SOFT);
	assert_int_equal(cpu_ack(0), SOFT);
	spi_target(SOFT, 1);
	cores_settle_late(true);
	cpu_eoi(0, SOFT);
	if (gic_version() == 2)
		dist_write(0, GICD_SGIR, 4, 2u << 24 | 3);
	else
		sgi1r_write(0, 3ull << 24 | 1);
	cores_settle_late(false);
	cores_settle();
	assert_false(cores_vm.vcpu[0]->vgic.virq[SOFT].retarget);
	pend(0, SOFT);
	assert_int_equal(cpu_ack(1), SOFT);
	cpu_eoi(1, SOFT);
}

/* By the second of two steps, which traps. */
BOTH(an_end_that_traps_counts)
{
	cores_on(0);
	fake_gic.guest.split_eoi = true;
	pend(0, SOFT);
	assert_int_equal(cpu_ack(0), SOFT);
	spi_target(SOFT, 1);
	cpu_eoi(0, SOFT);
	assert_true(spi_is_active(SOFT));
	cores_on(0);
	vgicd_dir_write(cores_vm.vcpu[0], 0, 4, SOFT, NULL);
	cores_settle();
	assert_false(cores_vm.vcpu[0]->vgic.virq[SOFT].retarget);
	pend(0, SOFT);
	assert_takes(1, SOFT);
}

/* It was on its way to the old core's interface, and is acknowledged there. */
BOTH(what_is_nobodys_is_still_turned_off)
{
	fake_gic.irq[SOFT].enabled = true;
	fake_gic.irq[SOFT].route = gic_version() == 2 ? 1u << 0 : 0;
	spi_raise(SOFT);
	assert_false(fake_gic.irq[SOFT].enabled);
	assert_false(fake_gic.irq[SOFT].active);
	assert_nobody_takes_anything();
}

BOTH(a_line_is_followed_at_its_home)
{
	spi_line(SOFT, true);
	spi_target(SOFT, 1);
	assert_int_equal(cpu_ack(0), GIC_SPURIOUS);
	assert_int_equal(cpu_ack(1), SOFT);
	spi_target(SOFT, 0); /* active there; high still, it comes again here */
	cpu_eoi(1, SOFT);
	assert_int_equal(cpu_ack(1), GIC_SPURIOUS);
	assert_int_equal(cpu_ack(0), SOFT);
	spi_line(SOFT, false);
	cpu_eoi(0, SOFT);
	assert_nobody_takes_anything();
}

BOTH(a_line_that_falls_takes_it_back_from_its_home)
{
	spi_target(SOFT, 1);
	spi_line(SOFT, true);
	assert_true(spi_is_pending(SOFT));
	spi_line(SOFT, false);
	assert_nobody_takes_anything();
}

BOTH(any_vcpu_programs_any_spi)
{
	unsigned last = cores_vm.vcpu_count - 1;

	spi_target(SPI, last);
	for (unsigned n = 0; n <= last; n++) {
		uint8_t priority = (uint8_t)(0x20 + 8 * n);

		dist_write(n, GICD_ICENABLER + SPI / 32 * 4, 4, 1u << SPI % 32);
		assert_false(fake_gic.irq[SPI].enabled);
		dist_write(n, GICD_ISENABLER + SPI / 32 * 4, 4, 1u << SPI % 32);
		assert_true(fake_gic.irq[SPI].enabled);
		dist_write(n, GICD_IPRIORITYR + SPI, 1, priority);
		assert_int_equal(fake_gic.irq[SPI].priority, priority);
		pend(n, SPI);
		assert_takes(last, SPI);
		pend(n, SOFT);
		dist_write(n, GICD_ICPENDR + 4, 4, 1u << (SOFT - 32));
	}
	assert_nobody_takes_anything();
}

BOTH(one_word_reaches_all_homes)
{
	const uint32_t all = 0xf << 16; /* 48 to 51 */

	for (unsigned i = 0; i < 4; i++)
		spi_target(48 + i, i % cores_vm.vcpu_count);
	dist_write(1, GICD_ISENABLER + 4, 4, all);
	assert_int_equal(dist_read(0, GICD_ISENABLER + 4, 4) & all, all);
	dist_write(0, GICD_ISPENDR + 4, 4, all);
	for (unsigned n = 0; n < cores_vm.vcpu_count; n++)
		assert_int_equal(dist_read(n, GICD_ISPENDR + 4, 4) & all, all);
	for (unsigned i = 0; i < 4; i++)
		cpu_eoi(i % cores_vm.vcpu_count, cpu_ack(i % cores_vm.vcpu_count));
	assert_int_equal(dist_read(0, GICD_ISPENDR + 4, 4), 0);
	assert_nobody_takes_anything();
}

BOTH(the_configuration_is_the_physical_one)
{
	const uint32_t edge = 2u << SPI % 16 * 2;

	spi_target(SPI, 1);
	dist_write(0, GICD_ICFGR + SPI / 16 * 4, 4, edge);
	assert_true(fake_gic.irq[SPI].edge);
	assert_true(fake_gic.irq[SPI].enabled);
	assert_false(fake_gic.irq[SPI + 1].edge);
	dist_write(1, GICD_ICFGR + SPI / 16 * 4, 4, 0);
	assert_false(fake_gic.irq[SPI].edge);
	dist_write(1, GICD_ICFGR + SOFT / 16 * 4, 4, ~0u); /* of no physical interrupt */
	assert_false(fake_gic.irq[SOFT].edge);
}

/* An edge while it is active comes once more, a level only while it lasts. */
BOTH(an_edge_is_latched_and_a_level_is_not)
{
	const uint32_t edge = 2u << SPI % 16 * 2;

	dist_write(0, GICD_ICFGR + SPI / 16 * 4, 4, edge);
	for (unsigned level = 0; level < 2; level++) {
		fake_gic_line(SPI, true);
		cores_settle();
		fake_gic_line(SPI, false);
		assert_int_equal(cpu_ack(0), SPI);
		fake_gic_line(SPI, true);
		fake_gic_line(SPI, false);
		cpu_eoi(0, SPI);
		if (!level)
			assert_takes(0, SPI);
		assert_nobody_takes_anything();
		dist_write(0, GICD_ICFGR + SPI / 16 * 4, 4, 0);
	}
}

BOTH(private_interrupts_are_each_vcpus_own)
{
	for (unsigned n = 0; n < cores_vm.vcpu_count; n++) {
		cores_on(n);
		assert_false(cores_vm.vcpu[n]->vgic.virq[CORES_TIMER].config.enabled);
		if (gic_version() == 2)
			dist_write(n, GICD_ISENABLER, 4, 1u << CORES_TIMER);
		else
			redist_write(n, n * VGICR_SIZE + GICR_SGI_OFFSET + GICD_ISENABLER, 4,
				     1u << CORES_TIMER);
		cores_on(n);
		assert_true(fake_gic.irq[CORES_TIMER].enabled);
		fake_gic_line(CORES_TIMER, true);
		cores_settle();
		cores_on(n);
		fake_gic_line(CORES_TIMER, false);
		assert_takes(n, CORES_TIMER);
	}
}

BOTH(an_access_to_a_vcpus_own_interrupts_asks_nobody)
{
	dist_read(1, GICD_ISENABLER, 4);
	dist_read(1, GICD_ISPENDR, 4);
	dist_write(1, GICD_ISENABLER, 4, 1u << 20);
	assert_int_equal(cores_kicks(), 0);
	dist_read(1, GICD_ISPENDR + 4, 4);
	assert_int_not_equal(cores_kicks(), 0);
}
