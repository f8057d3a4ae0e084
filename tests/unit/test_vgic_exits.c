/* SPDX-License-Identifier: Apache-2.0 */
/* How many exits an interrupt costs; test_vgic_random_*.c have what the guest sees. */
/* LINK: exit-path drivers/gic/gicv2.c */

#include "tests/unit/fake/fake_gic.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"

#define SPI 40u

EACH_TEST(guest_boot_linked, guest_check_rules);

/* 7 and 16 have no common divisor: every priority once, in no order. */
TEST(sixteen_pended_cost_few)
{
	for (unsigned i = 0; i < 16; i++)
		guest_enable_and_pend(SPI + i * 7 % 16, (uint8_t)(i * 7 % 16 << 3));
	assert_int_equal(guest_exits(), 0);
	for (unsigned i = 0; i < 16; i++)
		guest_assert_takes(SPI + i);
	assert_in_range(guest_exits(), 1, 8);
}

/* SPI is the innermost. */
TEST(with_all_active_neither_an_urgent_one_nor_another_costs_any)
{
	for (unsigned i = 4; i-- > 0;) {
		guest_enable_and_pend(SPI + i, (uint8_t)(0x40 + i * 8));
		assert_int_equal(guest_ack(), SPI + i);
	}
	guest_enable_and_pend(SPI + 8, 0xf0);
	guest_enable_and_pend(SPI + 9, 0x10);
	assert_int_equal(guest_exits(), 0);
	guest_assert_takes(SPI + 9);
	for (unsigned i = 0; i < 4; i++)
		guest_eoi(SPI + i);
	guest_assert_takes(SPI + 8);
}
