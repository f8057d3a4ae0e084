/* SPDX-License-Identifier: Apache-2.0 */
/* The line of an emulated device, level-sensitive: the vGIC is all the GIC that it has. */
/* LINK: exit-path drivers/gic/gicv2.c */

#include "drivers/gic/gic_regs.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"

#define SPI 48u

static void boot_one_register(void)
{
	guest_boot(1, false, false);
}

#define BOTH(test) TEST_BY(test, guest_boot_linked, boot_one_register, guest_check_rules)

BOTH(it_comes_while_the_line_is_high)
{
	guest_enable(SPI, 0x40);
	guest_line(SPI, true);
	guest_assert_takes(SPI);
	guest_assert_takes(SPI);
	assert_true(guest_read_bit(GICD_ISPENDR, SPI));
	guest_line(SPI, false);
	assert_false(guest_read_bit(GICD_ISPENDR, SPI));
	guest_assert_takes_nothing();
}

BOTH(a_line_that_falls_before_the_acknowledge_is_forgotten)
{
	guest_enable(SPI, 0x40);
	guest_line(SPI, true);
	guest_line(SPI, false);
	guest_assert_takes_nothing();
	assert_int_equal(guest_exits(), 0);
}

BOTH(a_line_that_falls_while_active_does_not_come_again)
{
	guest_enable(SPI, 0x40);
	guest_line(SPI, true);
	assert_int_equal(guest_ack(), SPI);
	assert_true(guest_read_bit(GICD_ISPENDR, SPI));
	guest_line(SPI, false);
	assert_false(guest_read_bit(GICD_ISPENDR, SPI));
	guest_eoi(SPI);
	guest_assert_takes_nothing();
}

BOTH(a_line_that_rises_while_active_comes_after_the_end)
{
	guest_enable_and_pend(SPI, 0x40);
	assert_int_equal(guest_ack(), SPI);
	guest_line(SPI, true);
	guest_assert_takes_nothing();
	guest_eoi(SPI);
	assert_int_equal(guest_ack(), SPI);
	guest_line(SPI, false);
	guest_eoi(SPI);
	guest_assert_takes_nothing();
}

BOTH(what_is_pended_by_software_stays_without_the_line)
{
	guest_enable(SPI, 0x40);
	guest_line(SPI, true);
	guest_pend(SPI);
	guest_line(SPI, false);
	guest_assert_takes(SPI);
	guest_assert_takes_nothing();
	guest_line(SPI, true);
	guest_line(SPI, false);
	guest_assert_takes_nothing();
}

BOTH(clearing_it_does_nothing_while_the_line_is_high)
{
	guest_enable(SPI, 0x40);
	guest_line(SPI, true);
	guest_write_bit(GICD_ICPENDR, SPI);
	assert_true(guest_read_bit(GICD_ISPENDR, SPI));
	guest_assert_takes(SPI);
	guest_line(SPI, false);
	guest_assert_takes_nothing();
}

BOTH(disabled_it_waits_and_is_forgotten_with_its_line)
{
	guest_enable(SPI, 0x40);
	guest_line(SPI, true);
	guest_set_enabled(SPI, false);
	guest_assert_takes_nothing();
	guest_set_enabled(SPI, true);
	guest_assert_takes(SPI);
	guest_set_enabled(SPI, false);
	guest_line(SPI, false);
	guest_set_enabled(SPI, true);
	guest_assert_takes_nothing();
}

BOTH(more_than_list_registers_come_by_priority)
{
	for (unsigned i = 0; i < 6; i++) {
		guest_enable(SPI + i, (uint8_t)(0x80 - 8 * i));
		guest_line(SPI + i, true);
	}
	for (unsigned i = 6; i-- > 0;) {
		assert_int_equal(guest_ack(), SPI + i);
		guest_line(SPI + i, false);
		guest_eoi(SPI + i);
	}
	guest_assert_takes_nothing();
}
