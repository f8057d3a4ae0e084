/* SPDX-License-Identifier: Apache-2.0 */

#include "abi/hypercall.h"
#include "abi/probe.h"
#include "arch/sysreg.h"
#include "drivers/gic/gic_regs.h"
#include "hyp/vm/vgicd.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"

#define SPI FAKE_SPI_FIRST
#define LAST (FAKE_SPI_FIRST + FAKE_SPI_COUNT - 1)

static struct probe_stamps stamps;

static void boot(bool link_hw)
{
	guest_boot(4, link_hw, false);
	stamps = (struct probe_stamps){ 0 };
	write_tpidr_el2((reg_t)&stamps);
}

static void boot_linked(void)
{
	boot(true);
}

static void boot_unlinked(void)
{
	boot(false);
}

#define BOTH(test) TEST_BY(test, boot_linked, boot_unlinked, guest_check_rules)

TEST_WITH(a_raised_spi_reaches_the_guest, boot_linked, guest_check_rules)
{
	for (unsigned intid = SPI; intid <= LAST; intid++) {
		guest_enable(intid, 0x40);
		assert_int_equal(guest_raise(intid), HC_OK);
		assert_int_equal(guest_exits(), intid - SPI + 1);
		assert_int_equal(guest_ack(), intid);
		assert_true(fake_gic.irq[intid].active);
		guest_eoi(intid);
		assert_int_equal(fake_gic_deactivations(intid), 1);
		guest_assert_takes_nothing();
	}
}

TEST_WITH(an_interrupt_beyond_the_guest_s_is_refused, boot_linked, guest_check_rules)
{
	assert_true(vgic_forward(&guest_vcpu.vgic, VIRQ_COUNT - 1));
	assert_false(vgic_forward(&guest_vcpu.vgic, VIRQ_COUNT));
	assert_false(vgic_forward(&guest_vcpu.vgic, 1019));
}

BOTH(it_is_raised_at_the_physical_distributor)
{
	guest_raise(SPI);
	assert_true(fake_gic.irq[SPI].pending_latch);
	assert_true(guest_read_bit(GICD_ISPENDR, SPI));
	assert_int_equal(guest_exits(), 0); /* not enabled */
	guest_assert_takes_nothing();
}

/* GICv2: one core is no choice. GICv3: what is for a core that is not there stays pending. */
BOTH(the_guest_cannot_send_it_elsewhere)
{
	guest_enable(SPI, 0x40);
	vgicd_write(&guest_vcpu, GICD_ITARGETSR + SPI, 1, 0, NULL);
	vgicd_write(&guest_vcpu, GICD_IROUTER + 8 * SPI, 8, 0xff, NULL);
	guest_raise(SPI);
	if (gic_version() == 3) {
		guest_assert_takes_nothing();
		assert_true(guest_read_bit(GICD_ISENABLER, SPI));
		assert_true(guest_read_bit(GICD_ISPENDR, SPI));
		vgicd_write(&guest_vcpu, GICD_IROUTER + 8 * SPI, 8, 0, NULL);
	}
	guest_set_priority(SPI, 0x40); /* and the hypervisor has taken it */
	guest_assert_takes(SPI);
}

TEST_WITH(an_spi_of_nobodys_cannot_be_raised, boot_linked, guest_check_rules)
{
	const uint64_t wrong[] = { SPI - 1,    LAST + 1,        0, GUEST_TIMER, FAKE_HYP_TIMER,
				   UINT64_MAX, SPI | 1ull << 32 };

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(guest_raise(wrong[i]), HC_EINVAL);
	for (unsigned i = 0; i < FAKE_GIC_INTIDS; i++)
		assert_false(fake_gic.irq[i].pending_latch);
	assert_int_equal(stamps.raised, 0);
}

TEST_WITH(the_time_of_the_raise_is_stamped, boot_linked, guest_check_rules)
{
	uint64_t before = read_cntpct_el0();

	guest_raise(SPI);
	assert_int_equal(stamps.before_raised, before + 1);
	assert_int_equal(stamps.raised, before + 2);
}

/* A fault planted: an SPI that is routed to another core never comes. */
TEST_WITH(an_spi_that_is_routed_elsewhere_is_missed, boot_linked, guest_check_rules)
{
	guest_enable(SPI, 0x40);
	fake_gic.irq[SPI].elsewhere = true;
	guest_raise(SPI);
	assert_int_equal(guest_ack(), GIC_SPURIOUS);
}
