/* SPDX-License-Identifier: Apache-2.0 */
/* The null device: its registers, at every width and across their ends. */
/* LINK: hyp/dev/null_device.c */
#include <string.h>

#include "hyp/dev/null_device.h"
#include "hyp/vcpu/vcpu.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

static struct null_device device;
static struct vcpu vcpu;

static void setup(void)
{
	fake_reset();
	memset(&device, 0xa5, sizeof(device));
	null_device_reset(&device);
}

static uint64_t read(uint32_t offset, unsigned size)
{
	return null_device_read(&vcpu, offset, size, &device);
}

static void write(uint32_t offset, unsigned size, uint64_t value)
{
	null_device_write(&vcpu, offset, size, value, &device);
}

static void assert_registers(uint32_t scratch, uint32_t count, uint32_t sum)
{
	assert_int_equal(read(NULL_DEVICE_SCRATCH, 4), scratch);
	assert_int_equal(read(NULL_DEVICE_DATA, 4), 0);
	assert_int_equal(read(NULL_DEVICE_COUNT, 4), count);
	assert_int_equal(read(NULL_DEVICE_SUM, 4), sum);
}

EACH_TEST(setup, NULL);

TEST(scratch_reads_back)
{
	write(NULL_DEVICE_SCRATCH, 4, 0x12345678);
	assert_registers(0x12345678, 0, 0);
	write(NULL_DEVICE_SCRATCH, 4, 0);
	assert_registers(0, 0, 0);
}

TEST(data_is_counted_and_summed)
{
	write(NULL_DEVICE_DATA, 4, 7);
	write(NULL_DEVICE_DATA, 4, 0);
	assert_registers(0, 2, 7);
	write(NULL_DEVICE_DATA, 4, 0xffffffff);
	assert_registers(0, 3, 6);
}

TEST(a_narrow_access_is_to_its_bytes)
{
	write(NULL_DEVICE_SCRATCH, 4, 0x12345678);
	write(1, 1, 0xab);
	assert_registers(0x1234ab78, 0, 0);
	write(2, 2, 0xcdef);
	assert_registers(0xcdefab78, 0, 0);
	assert_int_equal(read(3, 1) & 0xff, 0xcd);
	assert_int_equal(read(1, 2) & 0xffff, 0xefab);
	write(NULL_DEVICE_DATA + 3, 1, 0x01);
	assert_registers(0xcdefab78, 1, 0x01000000);
}

TEST(an_access_may_cross_the_end_of_a_register)
{
	write(2, 4, 0x11223344); /* the upper half of SCRATCH, the lower one of DATA */
	assert_registers(0x33440000, 1, 0x1122);
	assert_int_equal(read(2, 4) & 0xffffffff, 0x3344);
	assert_int_equal(read(NULL_DEVICE_COUNT + 3, 2) & 0xffff, 0x2200);
}

TEST(read_only_registers_and_holes_ignore_writes)
{
	write(NULL_DEVICE_DATA, 4, 9);
	for (uint32_t offset = NULL_DEVICE_COUNT; offset < NULL_DEVICE_SIZE; offset += 4)
		write(offset, 4, 0xffffffff);
	write(NULL_DEVICE_COUNT, 8, ~0ull);
	assert_registers(0, 1, 9);
	for (uint32_t offset = NULL_DEVICE_SUM + 4; offset < NULL_DEVICE_SIZE; offset++)
		assert_int_equal(read(offset, 1) & 0xff, 0);
	assert_int_equal(read(NULL_DEVICE_SIZE - 8, 8), 0);
	assert_int_equal(read(NULL_DEVICE_SIZE - 1, 4), 0);
}

TEST(the_next_step_begins_anew)
{
	uint8_t *page = (uint8_t *)null_device_base();
	unsigned before = fake_counts.dcache_ranges;

	write(NULL_DEVICE_SCRATCH, 8, ~0ull);
	memset(page, 0xee, NULL_DEVICE_SIZE); /* as a guest without stage 2 may have left it */
	null_device_reset(&device);
	assert_registers(0, 0, 0);
	for (unsigned i = 0; i < NULL_DEVICE_SIZE; i++)
		assert_int_equal(page[i], 0);
	assert_int_equal(fake_counts.dcache_ranges, before + 1);
}

TEST(stands_on_a_page_of_its_own)
{
	assert_int_equal(null_device_base() % NULL_DEVICE_SIZE, 0);
	assert_int_not_equal(null_device_base(), 0);
}
