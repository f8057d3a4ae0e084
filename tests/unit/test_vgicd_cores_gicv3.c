/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the emulated distributor and redistributors of GICv3 with several vCPUs (IHI 0069
 * chapter 12). */
/* LINK: exit-path-of-cores drivers/gic/gicv3.c */

#include "arch/sysreg.h"
#include "drivers/gic/gic_regs.h"
#include "hyp/trap/trap.h"
#include "tests/unit/cores.h"
#include "tests/unit/unit.h"

#define SPI 40u
#define RD(n) ((n)*VGICR_SIZE)
#define SGI(n) (RD(n) + GICR_SGI_OFFSET)
#define IROUTER(intid) (GICD_IROUTER + 8 * (intid))
#define SYNCR 0xc0u
#define TYPER2 0xcu

static void boot_four(void)
{
	cores_boot(4);
}

EACH_TEST(boot_four, cores_check_rules);

TEST(identification)
{
	const uint8_t ids[] = { 0x04, 0, 0, 0, 0x92, 0xb4, 0x3b, 0, 0x0d, 0xf0, 0x05, 0xb1 };

	/* 128 INTIDs of 10 bits, Aff3, 1 of N; no LPIs, no message-based SPIs, no security */
	assert_int_equal(dist_read(0, GICD_TYPER, 4), 3 | 9u << 19 | 1u << 24);
	assert_int_equal(dist_read(0, TYPER2, 4), 0);
	assert_int_equal(dist_read(0, GICD_IIDR, 4), 0x43b);
	assert_int_equal(redist_read(3, RD(1) + GICR_IIDR, 4), 0x43b);
	for (unsigned i = 0; i < sizeof(ids); i++) {
		uint8_t redist = (uint8_t)(ids[i] + (i == 4)); /* another part number */

		assert_int_equal(dist_read(0, 0xffd0 + 4 * i, 4), ids[i]);
		assert_int_equal(redist_read(0, RD(2) + 0xffd0 + 4 * i, 4), redist);
	}
}

TEST(each_vcpu_has_a_redistributor)
{
	for (unsigned count = 1; count <= VCPU_MAX; count++) {
		cores_boot(count);
		for (unsigned n = 0; n < count; n++) {
			uint64_t typer =
				(uint64_t)n << 32 | n << 8 | (n == count - 1 ? 1u << 4 : 0);

			assert_int_equal(redist_read(0, RD(n) + GICR_TYPER, 8), typer);
			assert_int_equal(redist_read(0, RD(n) + GICR_TYPER + 4, 4), n);
			assert_int_equal(redist_read(0, RD(n) + GICR_CTLR, 4), 0);
			assert_int_equal(redist_read(0, RD(n) + SYNCR, 4), 0);
		}
		redist_write(0, SGI(count) + GICD_ISENABLER, 4, 0xffffffff);
		assert_int_equal(redist_read(0, SGI(count) + GICD_ISENABLER, 4), 0);
		assert_int_equal(redist_read(0, RD(count) + GICR_TYPER, 8), 0);
	}
}

TEST(each_sleeps_by_itself)
{
	redist_write(0, RD(2) + GICR_WAKER, 4, GICR_WAKER_PROCESSOR_SLEEP);
	for (unsigned n = 0; n < 4; n++)
		assert_int_equal(redist_read(1, RD(n) + GICR_WAKER, 4), n == 2 ? 6 : 0);
	redist_write(2, RD(2) + GICR_WAKER, 4, 0);
	assert_int_equal(redist_read(1, RD(2) + GICR_WAKER, 4), 0);
}

/* --- IROUTER --- */

static uint64_t route(unsigned intid)
{
	uint64_t value = dist_read(1, IROUTER(intid), 8);

	assert_int_equal(dist_read(0, IROUTER(intid), 4), (uint32_t)value);
	assert_int_equal(dist_read(0, IROUTER(intid) + 4, 4), value >> 32);
	return value;
}

TEST(a_route_has_its_fields_alone)
{
	assert_int_equal(route(SPI), 0);
	dist_write(2, IROUTER(SPI), 8, UINT64_MAX);
	assert_int_equal(route(SPI), 0xff80ffffff);
	assert_int_equal(route(SPI - 1), 0);
	assert_int_equal(route(SPI + 1), 0);
	for (unsigned intid = 0; intid < 32; intid++) { /* private interrupts have no IROUTER */
		dist_write(0, IROUTER(intid), 8, UINT64_MAX);
		assert_int_equal(dist_read(0, IROUTER(intid), 8), 0);
	}
	dist_write(0, IROUTER(VIRQ_COUNT - 1), 8, 1);
	assert_int_equal(route(VIRQ_COUNT - 1), 1);
	dist_write(0, IROUTER(VIRQ_COUNT), 8, 1);
	assert_int_equal(dist_read(0, IROUTER(VIRQ_COUNT), 8), 0);
}

/* Write each half by itself, in both orders. Neither write loses the other half. */
TEST(a_route_written_by_halves_is_whole)
{
	dist_write(0, IROUTER(SPI), 4, 0x00030201);
	dist_write(0, IROUTER(SPI) + 4, 4, 0x04);
	assert_int_equal(route(SPI), 0x0400030201);
	dist_write(0, IROUTER(SPI) + 4, 4, 0x05);
	assert_int_equal(route(SPI), 0x0500030201);
	dist_write(0, IROUTER(SPI), 4, 0x00090807);
	assert_int_equal(route(SPI), 0x0500090807);
	dist_write(0, IROUTER(SPI) + 1, 1, 0x33);
	assert_int_equal(route(SPI), 0x0500093307);
	dist_write(0, IROUTER(SPI) + 4, 4, 0);
	dist_write(0, IROUTER(SPI), 4, 2);
	spi_enable(SPI);
	dist_write(0, GICD_ISPENDR + 4, 4, 1u << (SPI - 32));
	assert_takes(2, SPI);
}

TEST(each_affinity_level_counts)
{
	const uint64_t nobody[] = { 4, 0xff, 0x100, 0x10000, 1ull << 32, 0x10001, 0x0100000001 };

	spi_enable(SPI);
	for (unsigned i = 0; i < sizeof(nobody) / sizeof(nobody[0]); i++) {
		dist_write(0, IROUTER(SPI), 8, nobody[i]);
		dist_write(0, GICD_ISPENDR + 4, 4, 1u << (SPI - 32));
		assert_nobody_takes_anything();
		assert_true(spi_is_pending(SPI));
		assert_int_equal(dist_read(0, GICD_ISENABLER + 4, 4), 1u << (SPI - 32));
		dist_write(0, IROUTER(SPI), 8, i % 4);
		assert_takes(i % 4, SPI);
	}
}

/* --- SGIs --- */

/* Return a bit for each vCPU that has SGI `id` pending, and clear the SGI. */
static unsigned pending_at(unsigned id)
{
	unsigned found = 0;

	for (unsigned n = 0; n < 4; n++) {
		found |= (unsigned)(redist_read(0, SGI(n) + GICD_ISPENDR, 4) >> id & 1) << n;
		redist_write(0, SGI(n) + GICD_ICPENDR, 4, 0xffff);
		assert_int_equal(redist_read(0, SGI(n) + GICD_ISPENDR, 4), 0);
	}
	return found;
}

static unsigned sent(unsigned n, uint64_t value)
{
	sgi_write(n, sgi1r_write, value);
	return pending_at(value >> 24 & 0xf);
}

TEST(an_sgi_goes_to_its_targets)
{
	for (unsigned n = 0; n < 4; n++) {
		assert_int_equal(sent(n, 5u << 24 | 0xf), 0xf);
		assert_int_equal(sent(n, 15u << 24 | 1u << n), 1u << n);
		assert_int_equal(sent(n, 0u << 24 | 0xa), 0xa);
		assert_int_equal(sent(n, 5u << 24 | 0xfff0), 0);
		assert_int_equal(sent(n, 5u << 24), 0);
		assert_int_equal(sent(n, 1ull << 40 | 5u << 24), 0xfu & ~(1u << n));
		/* IRM: the affinity is ignored */
		assert_int_equal(sent(n, 1ull << 40 | 0xff00ff00ff000full), 0xfu & ~(1u << n));
	}
}

TEST(another_affinity_is_nobodys)
{
	assert_int_equal(sent(1, 5u << 24 | 0xf | 1u << 16), 0);   /* Aff1 */
	assert_int_equal(sent(1, 5u << 24 | 0xf | 1ull << 32), 0); /* Aff2 */
	assert_int_equal(sent(1, 5u << 24 | 0xf | 1ull << 48), 0); /* Aff3 */
	assert_int_equal(sent(1, 5u << 24 | 0xf | 1ull << 44), 0); /* RS: 16 to 31 */
	assert_int_equal(sent(1, 5u << 24 | 0x2 | 1ull << 47), 0); /* RS, with the vCPU's own bit */
	assert_int_equal(sent(1, 5u << 24 | 0x2 | 0x8000ull), 0x2); /* bit 15: no such vCPU */
}

TEST(group_0_is_sent_what_is_in_group_0)
{
	redist_write(0, SGI(1) + GICD_IGROUPR, 4, ~(1u << 5));
	redist_write(0, SGI(3) + GICD_IGROUPR, 4, ~(1u << 5));
	sgi_write(0, vgicd_sgi0r, 5u << 24 | 0xf);
	assert_int_equal(pending_at(5), 0xa);
	sgi_write(3, vgicd_sgi0r, 1ull << 40 | 5u << 24);
	assert_int_equal(pending_at(5), 0x2);
	sgi_write(0, vgicd_sgi0r, 6u << 24 | 0xf);
	assert_int_equal(pending_at(6), 0);
	assert_int_equal(sent(0, 5u << 24 | 0xf), 0xf); /* SGI1R: either group */
}

/* Trap an MSR of S3_0_C12_C11_<op2> from x7, or with `is_read` an MRS. */
static struct vcpu *trapped(unsigned n, unsigned op2, uint64_t value, bool is_read)
{
	struct vcpu *vcpu = cores_vm.vcpu[n];

	cores_on(n);
	vcpu->frame.x[7] = value;
	fake_esr_el2 = 0x18u << 26 | 1u << 25 | 3u << 20 | op2 << 17 | 12u << 10 | 7u << 5 |
		       11u << 1 | is_read;
	return trap_sync(vcpu);
}

TEST(a_trapped_register_sends_it)
{
	const unsigned sgi1r = 5, asgi1r = 6, sgi0r = 7;

	assert_ptr_equal(trapped(0, sgi1r, 9u << 24 | 6, false), cores_vm.vcpu[0]);
	assert_int_equal(pending_at(9), 6);
	assert_ptr_equal(trapped(0, sgi0r, 9u << 24 | 6, false), cores_vm.vcpu[0]);
	assert_ptr_equal(trapped(0, asgi1r, 9u << 24 | 6, false), cores_vm.vcpu[0]);
	assert_int_equal(pending_at(9), 0); /* SGI 9 is in Group 1 */
	redist_write(0, SGI(2) + GICD_IGROUPR, 4, 0);
	trapped(0, sgi0r, 9u << 24 | 6, false);
	assert_int_equal(pending_at(9), 4);
	trapped(0, asgi1r, 9u << 24 | 6, false);
	assert_int_equal(pending_at(9), 4);
}

/* --- where registers are --- */

TEST(control_says_affinity_routing_and_one_security_state)
{
	assert_int_equal(dist_read(0, GICD_CTLR, 4), 1u << 6 | 1u << 4 | 3u);
	dist_write(0, GICD_CTLR, 4, 0xffffffff); /* neither RWP nor E1NWF */
	assert_int_equal(dist_read(0, GICD_CTLR, 4), 1u << 6 | 1u << 4 | 3u);
	dist_write(0, GICD_CTLR, 4, 2);
	assert_int_equal(dist_read(0, GICD_CTLR, 4), 1u << 6 | 1u << 4 | 2u);
	dist_write(0, GICD_CTLR, 4, 0);
	dist_write(0, GICD_CTLR, 1, 3); /* only the write of a word acts */
	dist_write(0, GICD_CTLR, 2, 3);
	assert_int_equal(dist_read(0, GICD_CTLR, 4), 1u << 6 | 1u << 4);
	redist_write(0, RD(0) + GICR_WAKER, 1, GICR_WAKER_PROCESSOR_SLEEP);
	assert_int_equal(redist_read(0, RD(0) + GICR_WAKER, 4), 0);
}

TEST(private_interrupts_are_in_the_redistributor_only)
{
	dist_write(0, GICD_ISENABLER, 4, 0xffffffff);
	assert_int_equal(redist_read(0, SGI(0) + GICD_ISENABLER, 4), 0);
	redist_write(0, SGI(0) + GICD_ISENABLER, 4, 0x00100002);
	assert_int_equal(redist_read(0, SGI(0) + GICD_ISENABLER, 4), 0x00100002);
	assert_int_equal(dist_read(0, GICD_ISENABLER, 4), 0);
	dist_write(0, GICD_IPRIORITYR + 20, 1, 0x40);
	assert_int_equal(redist_read(0, SGI(0) + GICD_IPRIORITYR + 20, 1), 0);
	redist_write(0, SGI(0) + GICD_IPRIORITYR + 20, 1, 0x48);
	assert_int_equal(dist_read(0, GICD_IPRIORITYR + 20, 1), 0);
	assert_int_equal(redist_read(0, SGI(0) + GICD_IPRIORITYR + 20, 1), 0x48);
	dist_write(0, GICD_ICFGR + 4, 4, 0xffffffff);
	assert_int_equal(redist_read(0, SGI(0) + GICD_ICFGR + 4, 4), 0);
}

TEST(shared_interrupts_are_in_the_distributor_only)
{
	redist_write(0, SGI(0) + GICD_ISENABLER + 4, 4, 0xffffffff);
	assert_int_equal(dist_read(0, GICD_ISENABLER + 4, 4), 0);
	dist_write(0, GICD_ISENABLER + 4, 4, 0x100);
	assert_int_equal(dist_read(0, GICD_ISENABLER + 4, 4), 0x100);
	assert_int_equal(redist_read(0, SGI(0) + GICD_ISENABLER + 4, 4), 0);
}

TEST(the_gicv2_way_to_send_an_sgi_is_gone)
{
	redist_write(0, SGI(0) + GICD_ISENABLER, 4, 1u << 3);
	dist_write(0, GICD_SGIR, 4, 2u << 24 | 3);
	dist_write(0, GICD_SPENDSGIR, 4, 0x01010101);
	dist_write(0, GICD_CPENDSGIR, 4, 0x01010101);
	assert_int_equal(redist_read(0, SGI(0) + GICD_ISPENDR, 4), 0);
	assert_int_equal(dist_read(0, GICD_SPENDSGIR, 4), 0);
}
