/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated distributor of GICv2, register by register (IHI 0048B chapter 4). */
/* LINK: exit-path drivers/gic/gicv2.c */

#include "drivers/gic/gic_regs.h"
#include "hyp/vm/vgicd.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"

#define SPI 40u

static uint64_t read(uint32_t offset, unsigned size)
{
	return vgicd_read(&guest_vcpu, offset, size, NULL);
}

static void write(uint32_t offset, unsigned size, uint64_t value)
{
	vgicd_write(&guest_vcpu, offset, size, value, NULL);
}

/* The SGIs are enabled for good: bits 15:0. */
EACH_TEST(guest_boot_linked, NULL);

TEST(pending_bits_of_sgis_are_read_only)
{
	write(GICD_ISPENDR, 4, 0xffff);
	assert_int_equal(read(GICD_ISPENDR, 4), 0);
	guest_send_sgi(2, 0);
	write(GICD_ICPENDR, 4, 0xffff);
	assert_int_equal(read(GICD_ISPENDR, 4), 1u << 2);
}

TEST(priorities_are_bytes_of_five_bits)
{
	write(GICD_IPRIORITYR + SPI, 4, 0x081018ff);
	assert_int_equal(read(GICD_IPRIORITYR + SPI, 4), 0x081018f8);
	write(GICD_IPRIORITYR + SPI + 1, 1, 0x87);
	write(GICD_IPRIORITYR + SPI + 2, 2, 0x2030);
	assert_int_equal(read(GICD_IPRIORITYR + SPI, 8), 0x203080f8);
	assert_int_equal(read(GICD_IPRIORITYR + SPI + 1, 1), 0x80);
	assert_int_equal(read(GICD_IPRIORITYR + SPI + 2, 2), 0x2030);
}

TEST(the_forwarded_interrupt_gets_its_priority)
{
	write(GICD_IPRIORITYR + GUEST_TIMER, 1, 0x58);
	assert_int_equal(fake_gic.irq[GUEST_TIMER].priority, 0x58);
	write(GICD_IPRIORITYR + FAKE_GIC_MAINTENANCE, 1, 0x58); /* the hypervisor's own stays */
	assert_int_equal(fake_gic.irq[FAKE_GIC_MAINTENANCE].priority, 0);
}

TEST(no_bit_reaches_a_physical_interrupt_that_is_not_forwarded)
{
	for (uint32_t offset = GICD_IGROUPR; offset < GICD_IPRIORITYR; offset += 4)
		write(offset, 4, 0xffffffff);
	for (unsigned i = 0; i < FAKE_GIC_INTIDS; i++) {
		assert_int_equal(fake_gic.irq[i].enabled, i == FAKE_GIC_MAINTENANCE);
		assert_false(fake_gic.irq[i].pending_latch && i != GUEST_TIMER);
	}
}

TEST(configuration_has_two_bits_an_interrupt)
{
	assert_int_equal(read(GICD_ICFGR, 4), 0xaaaaaaaa);
	write(GICD_ICFGR, 4, 0);
	assert_int_equal(read(GICD_ICFGR, 4), 0xaaaaaaaa); /* SGIs: edge, read-only */
	assert_int_equal(read(GICD_ICFGR + 4 * 2, 4), 0);
	write(GICD_ICFGR + 4 * 2, 4, 0xffffffff);
	assert_int_equal(read(GICD_ICFGR + 4 * 2, 4), 0xaaaaaaaa);
	write(GICD_ICFGR + 4 * 2 + 1, 1, 0x08);
	assert_int_equal(read(GICD_ICFGR + 4 * 2, 4), 0xaaaa08aa);
}

/* --- what is not there --- */

TEST(what_is_not_there_reads_as_zero)
{
	const uint32_t offsets[] = {
		0x00c,
		0x07c,
		GICD_ISENABLER + 0x10,
		GICD_ISPENDR + 0x7c,
		GICD_IPRIORITYR + 128,
		0xbfc,
		0xcfc,
		0xd00,
		0xefc,
		0xf04,
		0xf30,
		0xfcc,
		0xfd4,
		0xfec,
		0x1000,
		0x6100,
		0xfffc,
	};

	for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		write(offsets[i], 4, 0xffffffff);
		assert_int_equal(read(offsets[i], 4), 0);
	}
	assert_int_equal(read(GICD_ISENABLER, 8), 0xffff);
}
