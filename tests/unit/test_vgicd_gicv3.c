/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated distributor and redistributor of GICv3 (IHI 0069 chapter 12). */
/* LINK: exit-path drivers/gic/gicv3.c */

#include "arch/sysreg.h"
#include "drivers/gic/gic_regs.h"
#include "hyp/trap/trap.h"
#include "hyp/vm/vgicd.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"

#define SGI GICR_SGI_OFFSET

static uint64_t gicd(uint32_t offset, unsigned size)
{
	return vgicd_read(&guest_vcpu, offset, size, NULL);
}

static void gicd_write(uint32_t offset, unsigned size, uint64_t value)
{
	vgicd_write(&guest_vcpu, offset, size, value, NULL);
}

static uint64_t gicr(uint32_t offset, unsigned size)
{
	return vgicr_read(&guest_vcpu, offset, size, NULL);
}

static void gicr_write(uint32_t offset, unsigned size, uint64_t value)
{
	vgicr_write(&guest_vcpu, offset, size, value, NULL);
}

EACH_TEST(guest_boot_linked, NULL);

TEST(identification_is_that_of_a_gicv3)
{
	assert_int_equal(gicd(GICD_TYPER, 4) & 0x1f, 3);       /* 128 interrupts */
	assert_int_equal(gicd(GICD_TYPER, 4) >> 19 & 0x1f, 9); /* INTIDs of 10 bits */
	assert_int_equal(gicd(GICD_V3_PIDR2, 4) >> 4, 3);
	assert_int_equal(gicd(GICD_V2_PIDR2, 4), 0);
	assert_int_equal(gicr(GICD_V3_PIDR2, 4) >> 4, 3);
}

TEST(control_says_affinity_routing_and_one_security_state)
{
	assert_int_equal(gicd(GICD_CTLR, 4), 1u << 6 | 1u << 4 | 3u);
	gicd_write(GICD_CTLR, 4, 0xffffffff); /* neither RWP nor E1NWF */
	assert_int_equal(gicd(GICD_CTLR, 4), 1u << 6 | 1u << 4 | 3u);
	gicd_write(GICD_CTLR, 4, 2);
	assert_int_equal(gicd(GICD_CTLR, 4), 1u << 6 | 1u << 4 | 2u);
	gicd_write(GICD_CTLR, 4, 0);
	assert_int_equal(gicd(GICD_CTLR, 4), 1u << 6 | 1u << 4);
}

TEST(the_redistributor_is_awake_and_the_last_one)
{
	assert_int_equal(gicr(GICR_WAKER, 4), 0);
	gicr_write(GICR_WAKER, 4, GICR_WAKER_CHILDREN_ASLEEP); /* read-only */
	assert_int_equal(gicr(GICR_WAKER, 4), 0);
	gicr_write(GICR_WAKER, 4, GICR_WAKER_PROCESSOR_SLEEP);
	assert_int_equal(gicr(GICR_WAKER, 4),
			 GICR_WAKER_PROCESSOR_SLEEP | GICR_WAKER_CHILDREN_ASLEEP);
	gicr_write(GICR_WAKER, 4, 0);
	assert_int_equal(gicr(GICR_WAKER, 4), 0);
	assert_int_equal(gicr(GICR_TYPER, 8), 1u << 4);
	assert_int_equal(gicr(GICR_TYPER + 4, 4), 0); /* affinity 0.0.0.0 */
	assert_int_equal(gicr(GICR_CTLR, 4), 0);
}

TEST(private_interrupts_are_in_the_redistributor_only)
{
	gicd_write(GICD_ISENABLER, 4, 0xffffffff);
	assert_int_equal(gicr(SGI + GICD_ISENABLER, 4), 0);
	gicr_write(SGI + GICD_ISENABLER, 4, 0x00100002);
	assert_int_equal(gicr(SGI + GICD_ISENABLER, 4), 0x00100002);
	assert_int_equal(gicd(GICD_ISENABLER, 4), 0);
	gicd_write(GICD_IPRIORITYR + 20, 1, 0x40);
	assert_int_equal(gicr(SGI + GICD_IPRIORITYR + 20, 1), 0);
	gicr_write(SGI + GICD_IPRIORITYR + 20, 1, 0x48);
	assert_int_equal(gicd(GICD_IPRIORITYR + 20, 1), 0);
	assert_int_equal(gicr(SGI + GICD_IPRIORITYR + 20, 1), 0x48);
	gicd_write(GICD_ICFGR + 4, 4, 0xffffffff);
	assert_int_equal(gicr(SGI + GICD_ICFGR + 4, 4), 0);
}

TEST(shared_interrupts_are_in_the_distributor_only)
{
	gicr_write(SGI + GICD_ISENABLER + 4, 4, 0xffffffff);
	assert_int_equal(gicd(GICD_ISENABLER + 4, 4), 0);
	gicd_write(GICD_ISENABLER + 4, 4, 0x100);
	assert_int_equal(gicd(GICD_ISENABLER + 4, 4), 0x100);
	assert_int_equal(gicr(SGI + GICD_ISENABLER + 4, 4), 0);
}

TEST(the_gicv2_way_to_send_an_sgi_is_gone)
{
	guest_set_enabled(3, true);
	gicd_write(GICD_SGIR, 4, 2u << 24 | 3);
	gicd_write(GICD_SPENDSGIR, 4, 0x01010101);
	gicd_write(GICD_CPENDSGIR, 4, 0x01010101);
	assert_int_equal(gicr(SGI + GICD_ISPENDR, 4), 0);
	assert_int_equal(gicd(GICD_SPENDSGIR, 4), 0);
}

static unsigned sgi1r(uint64_t value)
{
	gicr_write(SGI + GICD_ICPENDR, 4, 0xffff);
	vgicd_sgi1r(&guest_vcpu, value);
	return (unsigned)gicr(SGI + GICD_ISPENDR, 4);
}

TEST(an_sgi_goes_to_affinity_0_0_0_0)
{
	assert_int_equal(sgi1r(0u << 24 | 1), 1u << 0);
	assert_int_equal(sgi1r(15u << 24 | 1), 1u << 15);
	assert_int_equal(sgi1r(5u << 24 | 0xffff), 1u << 5);
	assert_int_equal(sgi1r(5u << 24 | 0xfffe), 0); /* others of the cluster */
	assert_int_equal(sgi1r(5u << 24 | 0), 0);
	assert_int_equal(sgi1r(5u << 24 | 1 | 1u << 16), 0);   /* Aff1 */
	assert_int_equal(sgi1r(5u << 24 | 1 | 1ull << 32), 0); /* Aff2 */
	assert_int_equal(sgi1r(5u << 24 | 1 | 1ull << 48), 0); /* Aff3 */
	assert_int_equal(sgi1r(5u << 24 | 1 | 1ull << 40), 0); /* all but this core */
}

TEST(a_trapped_store_to_sgi1r_sends_it)
{
	guest_set_enabled(9, true);
	guest_vcpu.frame.x[7] = 9u << 24 | 1;
	fake_esr_el2 =
		0x18u << 26 | 1u << 25 | 3u << 20 | 5u << 17 | 12u << 10 | 7u << 5 | 11u << 1;
	assert_ptr_equal(trap_sync(&guest_vcpu), &guest_vcpu);
	guest_assert_takes(9);
}
