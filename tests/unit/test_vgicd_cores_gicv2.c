/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the emulated distributor of GICv2 with one vCPU and several (IHI 0048B chapter 4). */
/* LINK: exit-path-of-cores drivers/gic/gicv2.c */

#include "drivers/gic/gic_regs.h"
#include "hyp/cpu/smp.h"
#include "tests/unit/cores.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

#define SPI 40u /* pended by software */
#define TO_LIST(targets, id) ((uint32_t)(targets) << 16 | (id))
#define TO_OTHERS(id) (1u << 24 | (id))
#define TO_SELF(id) (2u << 24 | (id))
#define NSATT (1u << 15)

static void boot_four(void)
{
	cores_boot(4);
}

EACH_TEST(boot_four, cores_check_rules);

static void boot_one(void)
{
	cores_boot(1);
}

#define ALONE(test) TEST_WITH(test, boot_one, NULL)

TEST(identification)
{
	const uint8_t ids[] = { 0x04, 0, 0, 0, 0x90, 0xb4, 0x2b, 0, 0x0d, 0xf0, 0x05, 0xb1 };

	for (unsigned count = 1; count <= VCPU_MAX; count++) {
		cores_boot(count);
		for (unsigned n = 0; n < count; n++) {
			assert_int_equal(dist_read(n, GICD_TYPER, 4), (count - 1) << 5 | 3);
			assert_int_equal(dist_read(n, GICD_IIDR, 4), 0x43b);
		}
		for (unsigned i = 0; i < sizeof(ids); i++)
			assert_int_equal(dist_read(0, 0xfd0 + 4 * i, 4), ids[i]);
	}
}

/* --- targets --- */

TEST(private_targets_are_the_reading_vcpu)
{
	for (unsigned n = 0; n < 4; n++)
		for (uint32_t i = 0; i < 32; i += 4) {
			dist_write(n, GICD_ITARGETSR + i, 4, 0xffffffff);
			assert_int_equal(dist_read(n, GICD_ITARGETSR + i, 4), 0x01010101u << n);
			assert_int_equal(dist_read(n, GICD_ITARGETSR + i + 3, 1), 1u << n);
		}
}

TEST(targets_have_a_bit_a_vcpu)
{
	for (unsigned count = 2; count <= VCPU_MAX; count++) {
		uint32_t bits = (1u << count) - 1;

		cores_boot(count);
		assert_int_equal(dist_read(1, GICD_ITARGETSR + SPI, 4), 0x01010101);
		dist_write(0, GICD_ITARGETSR + SPI, 4, 0xffffffff);
		assert_int_equal(dist_read(1, GICD_ITARGETSR + SPI, 4), bits * 0x01010101u);
		dist_write(1, GICD_ITARGETSR + SPI + 1, 1, 0x02);
		dist_write(1, GICD_ITARGETSR + SPI + 2, 2, 0xfd01);
		assert_int_equal(dist_read(0, GICD_ITARGETSR + SPI, 4),
				 bits | 0x0200 | 0x010000 | (0xfdu & bits) << 24);
		assert_int_equal(dist_read(0, GICD_ITARGETSR + 128, 4), 0);
	}
}

TEST(the_lowest_of_several_targets_takes_it)
{
	spi_enable(SPI);
	for (uint32_t targets = 1; targets < 16; targets++) {
		dist_write(0, GICD_ITARGETSR + SPI, 1, targets);
		dist_write(3, GICD_ISPENDR + 4, 4, 1u << (SPI - 32));
		assert_takes((unsigned)__builtin_ctz(targets), SPI);
	}
}

/* vCPU 3 has disabled the SPI while vCPU 0 held it, and posts this to vCPU 0 after the SPI has
 * moved to vCPU 1. */
TEST(a_change_posted_to_the_holder_before_reaches_the_holder)
{
	spi_enable(SPI);
	spi_target(SPI, 1);
	*vgicd_bits(cores_vm.vcpu[3], VGICD_ENABLED, SPI / 32) &= ~(1u << SPI % 32);
	cores_on(3);
	vgic_post_reload(cores_vm.vcpu[0], SPI);
	cores_settle();
	dist_write(3, GICD_ISPENDR + 4, 4, 1u << (SPI - 32));
	assert_nobody_takes_anything();
}

/* --- SGIs --- */

/* Return the sources of pending SGI `id`, a byte per vCPU, and clear them. */
static uint32_t pending_at(unsigned id)
{
	uint32_t sources = 0;

	for (unsigned n = 0; n < cores_vm.vcpu_count; n++) {
		sources |= (uint32_t)dist_read(n, GICD_SPENDSGIR + id, 1) << 8 * n;
		dist_write(n, GICD_CPENDSGIR + id, 1, 0xff);
		assert_int_equal(dist_read(n, GICD_SPENDSGIR + id, 1), 0);
	}
	return sources;
}

static uint32_t sent(unsigned n, uint32_t sgir)
{
	dist_write(n, GICD_SGIR, 4, sgir);
	return pending_at(sgir & 0xf);
}

TEST(an_sgi_goes_to_its_targets)
{
	assert_int_equal(sent(0, TO_LIST(0x1, 3)), 0x00000001);
	assert_int_equal(sent(0, TO_LIST(0xf, 3)), 0x01010101);
	assert_int_equal(sent(2, TO_LIST(0xb, 15)), 0x04000404);
	assert_int_equal(sent(1, TO_LIST(0xf0, 3)), 0);
	assert_int_equal(sent(1, TO_LIST(0, 3)), 0);
	assert_int_equal(sent(0, TO_OTHERS(0)), 0x01010100);
	assert_int_equal(sent(3, TO_OTHERS(7) | 0xff << 16), 0x00080808);
	assert_int_equal(sent(3, TO_SELF(7) | 0xff << 16), 0x08000000);
	assert_int_equal(sent(1, 3u << 24 | 0xff << 16 | 7), 0); /* reserved */
	assert_int_equal(sent(1, TO_SELF(2) | NSATT), 0x00000200);
	assert_int_equal(sent(1, TO_LIST(1, 2) | NSATT), 0x00000002);
	assert_int_equal(dist_read(0, GICD_SGIR, 4), 0);
}

TEST(no_narrow_write_sends_an_sgi)
{
	dist_write(0, GICD_SGIR, 2, TO_SELF(3));
	dist_write(0, GICD_SGIR + 3, 1, 2);
	dist_write(0, GICD_SGIR - 4, 8, (uint64_t)TO_SELF(3) << 32);
	assert_int_equal(pending_at(3), 1); /* the last write covers the whole word */
	assert_int_equal(pending_at(0), 0);
}

TEST(a_vcpu_that_is_reset_loses_its_private_interrupts)
{
	dist_write(1, GICD_ISENABLER, 4, 0xffff0000);
	dist_write(1, GICD_IGROUPR, 4, 0xffffffff);
	dist_write(1, GICD_ICFGR + 4, 4, 0xffffffff);
	dist_write(1, GICD_IPRIORITYR + 16, 4, 0xffffffff);
	dist_write(0, GICD_SGIR, 4, TO_OTHERS(3));
	spi_enable(SPI);
	spi_target(SPI, 1);
	cores_reset_private(1);
	assert_int_equal(dist_read(1, GICD_ISENABLER, 4), 0xffff);
	assert_int_equal(dist_read(1, GICD_IGROUPR, 4), 0);
	assert_int_equal(dist_read(1, GICD_ICFGR + 4, 4), 0);
	assert_int_equal(dist_read(1, GICD_IPRIORITYR + 16, 4), 0);
	assert_int_equal(dist_read(1, GICD_ISPENDR, 4), 0);
	assert_int_equal(dist_read(2, GICD_ISPENDR, 4), 1u << 3);
	dist_write(0, GICD_ISPENDR + 4, 4, 1u << (SPI - 32));
	assert_int_equal(cpu_ack(1), SPI);
	cpu_eoi(1, SPI);
}

TEST(an_access_to_a_vcpus_own_interrupts_asks_nobody)
{
	dist_read(1, GICD_ISENABLER, 4);
	dist_read(1, GICD_ISPENDR, 4);
	dist_write(1, GICD_ISENABLER, 4, 1u << 20);
	assert_int_equal(cores_kicks(), 0);
	dist_read(1, GICD_ISPENDR + 4, 4);
	assert_int_not_equal(cores_kicks(), 0);
}

/* --- registers of the only vCPU --- */

ALONE(priorities_are_bytes_of_five_bits)
{
	dist_write(0, GICD_IPRIORITYR + SPI, 4, 0x081018ff);
	assert_int_equal(dist_read(0, GICD_IPRIORITYR + SPI, 4), 0x081018f8);
	dist_write(0, GICD_IPRIORITYR + SPI + 1, 1, 0x87);
	dist_write(0, GICD_IPRIORITYR + SPI + 2, 2, 0x2030);
	assert_int_equal(dist_read(0, GICD_IPRIORITYR + SPI, 8), 0x203080f8);
	assert_int_equal(dist_read(0, GICD_IPRIORITYR + SPI + 1, 1), 0x80);
	assert_int_equal(dist_read(0, GICD_IPRIORITYR + SPI + 2, 2), 0x2030);
}

ALONE(no_bit_reaches_a_physical_interrupt_that_is_not_forwarded)
{
	dist_write(0, GICD_IPRIORITYR + FAKE_GIC_MAINTENANCE, 1, 0x58);
	assert_int_equal(fake_gic.irq[FAKE_GIC_MAINTENANCE].priority, 0);
	for (uint32_t offset = GICD_IGROUPR; offset < GICD_IPRIORITYR; offset += 4)
		dist_write(0, offset, 4, 0xffffffff);
	for (unsigned i = 0; i < FAKE_GIC_INTIDS; i++) {
		assert_int_equal(fake_gic.irq[i].enabled,
				 i == FAKE_GIC_MAINTENANCE || smp_is_kick(i));
		assert_false(fake_gic.irq[i].pending_latch && i != CORES_TIMER);
	}
}

/* With one core a write to ITARGETSR has no effect. */
ALONE(the_only_vcpu_cannot_send_an_spi_elsewhere)
{
	spi_enable(FAKE_SPI_FIRST);
	dist_write(0, GICD_ITARGETSR + FAKE_SPI_FIRST, 1, 0);
	spi_raise(FAKE_SPI_FIRST);
	assert_takes(0, FAKE_SPI_FIRST);
}

ALONE(an_interrupt_beyond_the_guests_is_not_forwarded)
{
	assert_true(vgic_forward(&cores_vm.vcpu[0]->vgic, VIRQ_COUNT - 1));
	assert_false(vgic_forward(&cores_vm.vcpu[0]->vgic, VIRQ_COUNT));
	assert_false(vgic_forward(&cores_vm.vcpu[0]->vgic, 1019));
}

/* --- unimplemented registers --- */

ALONE(what_is_not_there_reads_as_zero)
{
	/* These include words of ISENABLER, ISPENDR and IPRIORITYR beyond the last INTID. */
	const uint32_t offsets[] = { 0x00c, 0x07c, 0x110,  0x27c,  0x480, 0xbfc,
				     0xcfc, 0xd00, 0xefc,  0xf04,  0xf30, 0xfcc,
				     0xfd4, 0xfec, 0x1000, 0x6100, 0xfffc };

	for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		dist_write(0, offsets[i], 4, 0xffffffff);
		assert_int_equal(dist_read(0, offsets[i], 4), 0);
	}
	assert_int_equal(dist_read(0, GICD_ISENABLER, 8), 0xffff);
}
