/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/vgic_spi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "abi/hypercall.h"
#include "abi/probe.h"
#include "arch/sysreg.h"
#include "drivers/gic/gic_regs.h"
#include "hyp/vm/vgicd.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/vgic_guest.h"

#define SPI FAKE_SPI_FIRST
#define LAST (FAKE_SPI_FIRST + FAKE_SPI_COUNT - 1)

static struct probe_stamps stamps;

static int boot(bool link_hw)
{
	guest_boot(4, link_hw, false);
	stamps = (struct probe_stamps){ 0 };
	write_tpidr_el2((reg_t)&stamps);
	return 0;
}

static int boot_linked(void **state)
{
	(void)state;
	return boot(true);
}

static int boot_unlinked(void **state)
{
	(void)state;
	return boot(false);
}

static void a_raised_spi_reaches_the_guest(void **state)
{
	(void)state;
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

static void an_interrupt_beyond_the_guest_s_is_refused(void **state)
{
	(void)state;
	assert_true(vgic_forward(&guest_vcpu.vgic, VIRQ_COUNT - 1));
	assert_false(vgic_forward(&guest_vcpu.vgic, VIRQ_COUNT));
	assert_false(vgic_forward(&guest_vcpu.vgic, 1019));
}

static void an_unlinked_spi_is_deactivated_by_the_hypervisor(void **state)
{
	(void)state;
	guest_enable(SPI, 0x40);
	for (unsigned i = 1; i <= 10; i++) {
		guest_raise(SPI);
		guest_assert_takes(SPI);
		assert_int_equal(fake_gic_deactivations(SPI), i);
		assert_int_equal(guest_exits(), 2 * i); /* and its end */
	}
	guest_assert_takes_nothing();
}

static void it_is_raised_at_the_physical_distributor(void **state)
{
	(void)state;
	guest_raise(SPI);
	assert_true(fake_gic.irq[SPI].pending_latch);
	assert_true(guest_read_bit(GICD_ISPENDR, SPI));
	assert_int_equal(guest_exits(), 0); /* not enabled */
	guest_assert_takes_nothing();
}

static void it_comes_once_the_guest_enables_it(void **state)
{
	(void)state;
	guest_raise(SPI);
	guest_enable(SPI, 0x40);
	guest_assert_takes(SPI);
	guest_set_enabled(SPI, false);
	guest_raise(SPI);
	guest_assert_takes_nothing();
	guest_set_enabled(SPI, true);
	guest_assert_takes(SPI);
}

static void the_guests_registers_are_the_physical_ones(void **state)
{
	(void)state;
	guest_enable(SPI, 0x48);
	assert_true(fake_gic.irq[SPI].enabled);
	assert_int_equal(fake_gic.irq[SPI].priority, 0x48);
	guest_set_enabled(SPI, false);
	assert_false(fake_gic.irq[SPI].enabled);
	guest_pend(SPI);
	assert_true(fake_gic.irq[SPI].pending_latch);
	guest_write_bit(GICD_ICPENDR, SPI);
	assert_false(fake_gic.irq[SPI].pending_latch);
	assert_false(guest_read_bit(GICD_ISPENDR, SPI));
}

static void raised_twice_before_it_is_taken_it_comes_once(void **state)
{
	(void)state;
	guest_raise(SPI);
	guest_raise(SPI);
	guest_enable(SPI, 0x40);
	guest_assert_takes(SPI);
	guest_assert_takes_nothing();
}

static void raised_while_active_it_comes_again(void **state)
{
	(void)state;
	guest_enable(SPI, 0x40);
	guest_raise(SPI);
	assert_int_equal(guest_ack(), SPI);
	guest_raise(SPI);
	guest_eoi(SPI);
	guest_assert_takes(SPI);
	guest_assert_takes_nothing();
	assert_int_equal(fake_gic_deactivations(SPI), 2);
}

static void more_than_list_registers_come_by_priority(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FAKE_SPI_COUNT; i++)
		guest_enable(SPI + i, (uint8_t)(0x80 - 8 * i));
	for (unsigned i = 0; i < FAKE_SPI_COUNT; i++)
		guest_raise(SPI + i);
	for (unsigned i = FAKE_SPI_COUNT; i-- > 0;)
		guest_assert_takes(SPI + i);
	guest_assert_takes_nothing();
	for (unsigned i = 0; i < FAKE_SPI_COUNT; i++)
		assert_int_equal(fake_gic_deactivations(SPI + i), 1);
}

/* GICv2: one core is no choice. GICv3: what is for a core that is not there stays pending. */
static void the_guest_cannot_send_it_elsewhere(void **state)
{
	(void)state;
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

static void an_spi_of_nobodys_cannot_be_raised(void **state)
{
	const uint64_t wrong[] = { SPI - 1,    LAST + 1,        0, GUEST_TIMER, FAKE_HYP_TIMER,
				   UINT64_MAX, SPI | 1ull << 32 };

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(guest_raise(wrong[i]), HC_EINVAL);
	for (unsigned i = 0; i < FAKE_GIC_INTIDS; i++)
		assert_false(fake_gic.irq[i].pending_latch);
	assert_int_equal(stamps.raised, 0);
}

static void the_time_of_the_raise_is_stamped(void **state)
{
	uint64_t before = read_cntpct_el0();

	(void)state;
	guest_raise(SPI);
	assert_int_equal(stamps.before_raised, before + 1);
	assert_int_equal(stamps.raised, before + 2);
}

/* A fault planted: an SPI that is routed to another core never comes. */
static void an_spi_that_is_routed_elsewhere_is_missed(void **state)
{
	(void)state;
	guest_enable(SPI, 0x40);
	fake_gic.irq[SPI].elsewhere = true;
	guest_raise(SPI);
	assert_int_equal(guest_ack(), GIC_SPURIOUS);
}

#define TEST(name, boot) cmocka_unit_test_setup_teardown(name, boot, guest_check_rules)
#define BOTH(name) TEST(name, boot_linked), TEST(name, boot_unlinked)

int vgic_spi_tests(const char *name)
{
	const struct CMUnitTest tests[] = {
		TEST(a_raised_spi_reaches_the_guest, boot_linked),
		TEST(an_interrupt_beyond_the_guest_s_is_refused, boot_linked),
		TEST(an_unlinked_spi_is_deactivated_by_the_hypervisor, boot_unlinked),
		BOTH(it_is_raised_at_the_physical_distributor),
		BOTH(it_comes_once_the_guest_enables_it),
		BOTH(the_guests_registers_are_the_physical_ones),
		BOTH(raised_twice_before_it_is_taken_it_comes_once),
		BOTH(raised_while_active_it_comes_again),
		BOTH(more_than_list_registers_come_by_priority),
		BOTH(the_guest_cannot_send_it_elsewhere),
		TEST(an_spi_of_nobodys_cannot_be_raised, boot_linked),
		TEST(the_time_of_the_raise_is_stamped, boot_linked),
		TEST(an_spi_that_is_routed_elsewhere_is_missed, boot_linked),
	};

	return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}
