/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/vspi_moves.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "drivers/gic/gic_regs.h"
#include "tests/unit/cores.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"

#define SPI FAKE_SPI_FIRST /* physical */
#define SOFT 40u           /* pended by software, or an emulated device's */

static void boot(unsigned count)
{
	cores_boot(count);
	spi_enable(SPI);
	spi_enable(SOFT);
}

static int boot_two(void **state)
{
	(void)state;
	boot(2);
	return 0;
}

static int boot_four(void **state)
{
	(void)state;
	boot(4);
	return 0;
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

static void it_goes_to_vcpu_0_at_first(void **state)
{
	(void)state;
	spi_raise(SPI);
	assert_takes(0, SPI);
	pend(1, SOFT);
	assert_takes(0, SOFT);
	assert_nobody_takes_anything();
}

static void it_goes_where_it_is_sent(void **state)
{
	(void)state;
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
static void pending_it_goes_along(void **state)
{
	(void)state;
	pend(0, SOFT);
	spi_target(SOFT, 1);
	assert_true(spi_is_pending(SOFT));
	assert_takes(1, SOFT);
	assert_nobody_takes_anything();
	assert_false(spi_is_pending(SOFT));
}

static void pending_a_physical_one_goes_along(void **state)
{
	(void)state;
	spi_raise(SPI);
	spi_target(SPI, 1);
	assert_takes(1, SPI);
	assert_nobody_takes_anything();
	assert_false(fake_gic.irq[SPI].active);
}

static void held_back_it_goes_along(void **state)
{
	(void)state;
	dist_write(0, GICD_ICENABLER + 4, 4, 1u << (SOFT - 32));
	pend(0, SOFT);
	spi_target(SOFT, 1);
	assert_nobody_takes_anything();
	dist_write(1, GICD_ISENABLER + 4, 4, 1u << (SOFT - 32));
	assert_takes(1, SOFT);
}

static void its_registers_go_along(void **state)
{
	(void)state;
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
static void active_it_stays_until_its_end(void **state)
{
	(void)state;
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

static void active_a_physical_one_stays_until_its_end(void **state)
{
	(void)state;
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

static void active_and_pending_it_goes_once_ended(void **state)
{
	(void)state;
	pend(0, SOFT);
	assert_int_equal(cpu_ack(0), SOFT);
	pend(0, SOFT); /* active and pending, in one list register */
	spi_target(SOFT, 1);
	cpu_eoi(0, SOFT);
	assert_takes(1, SOFT);
	assert_nobody_takes_anything();
}

static void sent_back_before_its_end_it_stays(void **state)
{
	(void)state;
	pend(0, SOFT);
	assert_int_equal(cpu_ack(0), SOFT);
	spi_target(SOFT, 1);
	spi_target(SOFT, 0);
	cpu_eoi(0, SOFT);
	pend(0, SOFT);
	assert_takes(0, SOFT);
}

static void sent_on_before_its_end_it_goes_to_the_last(void **state)
{
	(void)state;
	pend(0, SOFT);
	assert_int_equal(cpu_ack(0), SOFT);
	for (unsigned n = 1; n < cores_vm.vcpu_count; n++)
		spi_target(SOFT, n);
	cpu_eoi(0, SOFT);
	pend(0, SOFT);
	assert_takes(cores_vm.vcpu_count - 1, SOFT);
}

/* The end is seen by the guest's next access, before the maintenance interrupt is. */
static void an_end_that_an_access_sees_counts(void **state)
{
	(void)state;
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
static void an_end_that_the_core_sees_by_itself_counts(void **state)
{
	(void)state;
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
static void an_end_that_traps_counts(void **state)
{
	(void)state;
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
static void what_is_nobodys_is_still_turned_off(void **state)
{
	(void)state;
	fake_gic.irq[SOFT].enabled = true;
	fake_gic.irq[SOFT].route = gic_version() == 2 ? 1u << 0 : 0;
	spi_raise(SOFT);
	assert_false(fake_gic.irq[SOFT].enabled);
	assert_false(fake_gic.irq[SOFT].active);
	assert_nobody_takes_anything();
}

static void a_line_is_followed_at_its_home(void **state)
{
	(void)state;
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

static void a_line_that_falls_takes_it_back_from_its_home(void **state)
{
	(void)state;
	spi_target(SOFT, 1);
	spi_line(SOFT, true);
	assert_true(spi_is_pending(SOFT));
	spi_line(SOFT, false);
	assert_nobody_takes_anything();
}

static void any_vcpu_programs_any_spi(void **state)
{
	unsigned last = cores_vm.vcpu_count - 1;

	(void)state;
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

static void one_word_reaches_all_homes(void **state)
{
	const uint32_t all = 0xf << 16; /* 48 to 51 */

	(void)state;
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

static void the_configuration_is_the_physical_one(void **state)
{
	const uint32_t edge = 2u << SPI % 16 * 2;

	(void)state;
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
static void an_edge_is_latched_and_a_level_is_not(void **state)
{
	const uint32_t edge = 2u << SPI % 16 * 2;

	(void)state;
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

static void private_interrupts_are_each_vcpus_own(void **state)
{
	(void)state;
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

static void an_access_to_a_vcpus_own_interrupts_asks_nobody(void **state)
{
	(void)state;
	dist_read(1, GICD_ISENABLER, 4);
	dist_read(1, GICD_ISPENDR, 4);
	dist_write(1, GICD_ISENABLER, 4, 1u << 20);
	assert_int_equal(cores_kicks(), 0);
	dist_read(1, GICD_ISPENDR + 4, 4);
	assert_int_not_equal(cores_kicks(), 0);
}

#define TEST(name, boot) cmocka_unit_test_setup_teardown(name, boot, cores_check_rules)
#define BOTH(name) TEST(name, boot_two), TEST(name, boot_four)

int vspi_moves_tests(const char *name)
{
	const struct CMUnitTest tests[] = {
		BOTH(it_goes_to_vcpu_0_at_first),
		BOTH(it_goes_where_it_is_sent),
		BOTH(pending_it_goes_along),
		BOTH(pending_a_physical_one_goes_along),
		BOTH(held_back_it_goes_along),
		BOTH(its_registers_go_along),
		BOTH(active_it_stays_until_its_end),
		BOTH(active_a_physical_one_stays_until_its_end),
		BOTH(active_and_pending_it_goes_once_ended),
		BOTH(sent_back_before_its_end_it_stays),
		BOTH(sent_on_before_its_end_it_goes_to_the_last),
		BOTH(an_end_that_an_access_sees_counts),
		BOTH(an_end_that_the_core_sees_by_itself_counts),
		BOTH(an_end_that_traps_counts),
		BOTH(what_is_nobodys_is_still_turned_off),
		BOTH(a_line_is_followed_at_its_home),
		BOTH(a_line_that_falls_takes_it_back_from_its_home),
		BOTH(any_vcpu_programs_any_spi),
		BOTH(one_word_reaches_all_homes),
		BOTH(the_configuration_is_the_physical_one),
		BOTH(an_edge_is_latched_and_a_level_is_not),
		BOTH(private_interrupts_are_each_vcpus_own),
		BOTH(an_access_to_a_vcpus_own_interrupts_asks_nobody),
	};

	return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}
