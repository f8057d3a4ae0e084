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
