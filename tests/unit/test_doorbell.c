/* SPDX-License-Identifier: Apache-2.0 */
/* The doorbell of a link: what a VM gets of it, and which SPI a ring pends or posts. */
/* LINK: hyp/dev/doorbell.c */

#include "abi/link.h"
#include "hyp/dev/doorbell.h"
#include "hyp/vm/vm.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define BASE 0x7fe00000u
#define RINGS 111u

static struct doorbell end = { .base = BASE, .rings = RINGS };
static struct vm vm, other;
static struct vcpu vcpu, others[2];
static unsigned rung, times, posted;
static struct mmio_region region;
static ipa_t mapped;
static pa_t mapped_to;
static uint64_t mapped_size;
static bool room;

void gic_set_pending(unsigned intid)
{
	rung = intid;
	times++;
}

void vgic_post_state(struct vcpu *to, bool active, bool on, unsigned word, uint32_t bits)
{
	assert_ptr_equal(to, &others[1]);
	assert_true(on && !active);
	assert_int_equal(word, RINGS / 32);
	assert_int_equal(bits, 1u << RINGS % 32);
	posted++;
}

void vm_add_region(struct vm *of, struct mmio_region added)
{
	assert_ptr_equal(of, &vm);
	region = added;
}

bool vm_map(struct vm *of, ipa_t ipa, pa_t pa, uint64_t size, enum stage2_memory memory)
{
	assert_ptr_equal(of, &vm);
	assert_int_equal(memory, STAGE2_NORMAL);
	mapped = ipa;
	mapped_to = pa;
	mapped_size = size;
	return room;
}

static void setup(void)
{
	rung = times = posted = 0;
	end.to = NULL;
	room = true;
	assert_true(doorbell_add(&vm, &end));
}

EACH_TEST(setup, NULL);

TEST(the_window_and_the_register_do_not_overlap)
{
	assert_int_equal(region.base, BASE);
	assert_int_equal(mapped, mapped_to);
	assert_true(mapped >= region.base + region.size);
	assert_int_equal(mapped_size, LINK_WINDOW_SIZE);
	assert_true(mapped + mapped_size <= BASE + LINK_SIZE);
}

TEST(a_write_of_any_size_rings_once)
{
	for (unsigned size = 1; size <= 8; size *= 2) {
		rung = times = 0;
		region.write(&vcpu, LINK_DOORBELL_SIZE - 1, size, 0, region.state);
		assert_int_equal(rung, RINGS);
		assert_int_equal(times, 1);
	}
	assert_int_equal(posted, 0);
}

/* irq=direct: the measured VM has the physical SPIs. */
TEST(a_virtual_spi_is_posted_to_its_holder)
{
	for (unsigned i = 0; i < 2; i++) {
		others[i].dist = &other.dist;
		other.dist.vcpu[i] = other.vcpu[i] = &others[i];
	}
	other.dist.holder[RINGS] = 1;
	end.to = &other;
	assert_true(doorbell_add(&vm, &end));
	region.write(&vcpu, 0, 4, 0, region.state);
	assert_int_equal(posted, 1);
	assert_int_equal(times, 0);
}

TEST(a_read_is_0_and_does_not_ring)
{
	assert_int_equal(region.read(&vcpu, 0, 4, region.state), 0);
	assert_int_equal(times + posted, 0);
}

TEST(without_tables_there_is_no_link)
{
	room = false;
	assert_false(doorbell_add(&vm, &end));
}
