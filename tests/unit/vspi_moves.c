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

BOTH(an_access_to_a_vcpus_own_interrupts_asks_nobody)
{
	dist_read(1, GICD_ISENABLER, 4);
	dist_read(1, GICD_ISPENDR, 4);
	dist_write(1, GICD_ISENABLER, 4, 1u << 20);
	assert_int_equal(cores_kicks(), 0);
	dist_read(1, GICD_ISPENDR + 4, 4);
	assert_int_not_equal(cores_kicks(), 0);
}
