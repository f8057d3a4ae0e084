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
static void assert_enabled(uint32_t word0, uint32_t word1, uint32_t word2, uint32_t word3)
{
	const uint32_t words[] = { word0, word1, word2, word3 };

	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(read(GICD_ISENABLER + 4 * i, 4), words[i]);
		assert_int_equal(read(GICD_ICENABLER + 4 * i, 4), words[i]);
	}
}

EACH_TEST(guest_boot_linked, NULL);

TEST(identification_is_that_of_a_gicv2)
{
	assert_int_equal(read(GICD_TYPER, 4) & 0x1f, 3);   /* 128 interrupts */
	assert_int_equal(read(GICD_TYPER, 4) >> 5 & 7, 0); /* one CPU interface */
	assert_int_equal(read(GICD_IIDR, 4) & 0xfff, 0x43b);
	assert_int_equal(read(GICD_V2_PIDR2, 4) >> 4, 2);
	assert_int_equal(read(GICD_V3_PIDR2, 4), 0);
}

TEST(control_enables_two_groups)
{
	for (uint32_t groups = 0; groups < 4; groups++) {
		write(GICD_CTLR, 4, 0xfffffffc | groups);
		assert_int_equal(read(GICD_CTLR, 4), groups);
		write(GICD_CTLR, 1, ~groups); /* no word: ignored */
		assert_int_equal(read(GICD_CTLR, 1), groups);
	}
}

TEST(enable_bits_are_set_and_cleared_by_ones)
{
	assert_enabled(0xffff, 0, 0, 0);
	write(GICD_ISENABLER + 4, 4, 0x80000101);
	write(GICD_ISENABLER + 4, 4, 0); /* zeroes do nothing */
	write(GICD_ISENABLER, 4, 1u << 20);
	assert_enabled(0x10ffff, 0x80000101, 0, 0);
	write(GICD_ICENABLER + 4, 4, 0x100);
	write(GICD_ICENABLER + 4, 4, 0);
	assert_enabled(0x10ffff, 0x80000001, 0, 0);
}

TEST(sgis_stay_enabled)
{
	write(GICD_ICENABLER, 4, 0xffffffff);
	assert_enabled(0xffff, 0, 0, 0);
}

TEST(bits_can_be_accessed_at_every_width)
{
	write(GICD_ISENABLER + 5, 1, 0x81);
	write(GICD_ISENABLER + 6, 2, 0x8001);
	write(GICD_ISENABLER + 8, 8, 0x8000000100000001);
	assert_enabled(0xffff, 0x80018100, 0x00000001, 0x80000001);
	assert_int_equal(read(GICD_ISENABLER + 5, 1), 0x81);
	assert_int_equal(read(GICD_ISENABLER + 6, 2), 0x8001);
	assert_int_equal(read(GICD_ISENABLER + 8, 8), 0x8000000100000001);
}

TEST(only_the_written_bytes_count)
{
	write(GICD_ISENABLER + 4, 1, 0xffffffffffffff02);
	write(GICD_IPRIORITYR + SPI, 1, 0xffffffffffffff40);
	assert_enabled(0xffff, 2, 0, 0);
	assert_int_equal(read(GICD_IPRIORITYR + SPI, 4), 0x40);
}

TEST(pending_bits_are_set_and_cleared)
{
	write(GICD_ISPENDR + 4, 4, 0x300); /* 40, 41 */
	assert_int_equal(read(GICD_ISPENDR + 4, 4), 0x300);
	write(GICD_ICPENDR + 5, 1, 0x01);
	assert_int_equal(read(GICD_ICPENDR + 4, 4), 0x200);
	assert_int_equal(read(GICD_ISACTIVER + 4, 4), 0);
}

TEST(pending_bits_of_sgis_are_read_only)
{
	write(GICD_ISPENDR, 4, 0xffff);
	assert_int_equal(read(GICD_ISPENDR, 4), 0);
	guest_send_sgi(2, 0);
	write(GICD_ICPENDR, 4, 0xffff);
	assert_int_equal(read(GICD_ISPENDR, 4), 1u << 2);
}

TEST(active_bits_follow_the_guest)
{
	guest_enable_and_pend(SPI, 0x40);
	assert_int_equal(guest_ack(), SPI);
	assert_int_equal(read(GICD_ISACTIVER + 4, 4), 0x100);
	assert_int_equal(read(GICD_ICACTIVER + 4, 4), 0x100);
	guest_eoi(SPI);
	assert_int_equal(read(GICD_ISACTIVER + 4, 4), 0);
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

TEST(a_uniprocessor_has_no_targets)
{
	write(GICD_ITARGETSR + SPI, 4, 0x01010101);
	for (uint32_t i = 0; i < 128; i += 4)
		assert_int_equal(read(GICD_ITARGETSR + i, 4), 0);
	guest_enable_and_pend(SPI, 0x40);
	guest_assert_takes(SPI);
}

TEST(groups_are_kept)
{
	assert_int_equal(read(GICD_IGROUPR, 4), 0);
	write(GICD_IGROUPR, 4, 0x80010001);
	write(GICD_IGROUPR + 5, 1, 0xa5);
	assert_int_equal(read(GICD_IGROUPR, 4), 0x80010001);
	assert_int_equal(read(GICD_IGROUPR + 4, 8), 0xa500);
	write(GICD_IGROUPR, 4, 0);
	assert_int_equal(read(GICD_IGROUPR, 4), 0);
	assert_false(guest_vcpu.vgic.virq[0].config.group1);
	assert_true(guest_vcpu.vgic.virq[40].config.group1);
	assert_false(guest_vcpu.vgic.virq[41].config.group1);
}

/* --- SGIs --- */

static unsigned pending_sgis(void)
{
	return (unsigned)read(GICD_ISPENDR, 4) & 0xffff;
}

TEST(an_sgi_goes_to_its_targets)
{
	write(GICD_SGIR, 4, 0u << 24 | 0x01 << 16 | 3); /* a list with this core */
	assert_int_equal(pending_sgis(), 1u << 3);
	write(GICD_SGIR, 4, 0u << 24 | 0xfe << 16 | 4); /* a list without it */
	write(GICD_SGIR, 4, 1u << 24 | 0xff << 16 | 5); /* all but this core */
	write(GICD_SGIR, 4, 3u << 24 | 0xff << 16 | 6); /* reserved */
	assert_int_equal(pending_sgis(), 1u << 3);
	write(GICD_SGIR, 4, 2u << 24 | 7); /* this core only */
	assert_int_equal(pending_sgis(), 1u << 3 | 1u << 7);
	assert_int_equal(read(GICD_SGIR, 4), 0);
}

TEST(the_sources_of_an_sgi_are_a_byte)
{
	write(GICD_SPENDSGIR + 4, 4, 0x00410081);
	assert_int_equal(read(GICD_SPENDSGIR + 4, 4), 0x00410081);
	assert_int_equal(read(GICD_CPENDSGIR + 4, 4), 0x00410081);
	assert_int_equal(read(GICD_SPENDSGIR + 6, 1), 0x41);
	assert_int_equal(pending_sgis(), 1u << 4 | 1u << 6);
	write(GICD_CPENDSGIR + 6, 1, 0x40);
	write(GICD_CPENDSGIR + 4, 2, 0x0080);
	assert_int_equal(read(GICD_SPENDSGIR + 4, 4), 0x00010001);
	guest_assert_takes(4);
	guest_assert_takes(6);
	guest_assert_takes_nothing();
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
	assert_enabled(0xffff, 0, 0, 0);
}
