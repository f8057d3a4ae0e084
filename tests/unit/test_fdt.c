/* SPDX-License-Identifier: Apache-2.0 */
/* Where RAM is, from device trees that are well, odd, damaged and random. */
/* LINK: guest/probe/fdt.c tests/unit/fdt_blob.c */
#include <stdlib.h>
#include <string.h>

#include "guest/probe/fdt.h"
#include "tests/unit/fdt_blob.h"
#include "tests/unit/unit.h"

#define MAX 4u
#define FUZZ_ROUNDS 200000u

static struct fdt_range range[MAX];
static unsigned count;

static unsigned read_blob(const void *blob, size_t size)
{
	memset(range, 0xff, sizeof(range));
	count = fdt_memory(blob, size, range, MAX);
	return count;
}

static unsigned read_and_free(uint8_t *blob, size_t size)
{
	read_blob(blob, size);
	free(blob);
	return count;
}

static unsigned finish_and_read(struct fdt_blob *blob)
{
	size_t size;
	uint8_t *made = blob_finish(blob, &size);

	return read_and_free(made, size);
}

static void assert_range(unsigned i, uint64_t base, uint64_t size)
{
	assert_true(range[i].base == base);
	assert_true(range[i].size == size);
}

TEST(the_firmwares_tree_has_two_ranges)
{
	size_t size;
	uint8_t *blob = blob_of_rpi4(0x40000000, &size);

	assert_int_equal(read_and_free(blob, size), 2);
	assert_range(0, 0, 0x3b400000);
	assert_range(1, 0x40000000, 0x40000000);
}

TEST(no_more_ranges_are_given_than_asked_for)
{
	size_t size;
	uint8_t *blob = blob_of_rpi4(0x40000000, &size);

	memset(range, 0xff, sizeof(range));
	assert_int_equal(fdt_memory(blob, size, range, 1), 1);
	assert_range(0, 0, 0x3b400000);
	assert_true(range[1].base == UINT64_MAX);
	free(blob);
}

/* A root with these cells and one memory node with this reg. */
static unsigned read_reg(const uint32_t *cells, const uint32_t *reg, unsigned words)
{
	struct fdt_blob blob = { 0 };

	blob_begin(&blob, "");
	if (cells) {
		blob_cells(&blob, "#address-cells", cells, 1);
		blob_cells(&blob, "#size-cells", cells + 1, 1);
	}
	blob_begin(&blob, "memory");
	blob_text(&blob, "device_type", "memory");
	blob_cells(&blob, "reg", reg, words);
	blob_end(&blob);
	blob_end(&blob);
	return finish_and_read(&blob);
}

TEST(cells_have_one_word_or_two)
{
	const uint32_t reg[] = { 1, 2, 3, 4 };

	assert_int_equal(read_reg((uint32_t[]){ 1, 1 }, reg, 4), 2);
	assert_range(0, 1, 2);
	assert_range(1, 3, 4);
	assert_int_equal(read_reg((uint32_t[]){ 2, 2 }, reg, 4), 1);
	assert_range(0, 0x100000002, 0x300000004);
	assert_int_equal(read_reg((uint32_t[]){ 1, 2 }, reg, 3), 1);
	assert_range(0, 1, 0x200000003);
}

TEST(without_cells_they_are_two_and_one)
{
	assert_int_equal(read_reg(NULL, (uint32_t[]){ 1, 2, 3 }, 3), 1);
	assert_range(0, 0x100000002, 3);
}

TEST(other_cells_are_refused)
{
	const uint32_t reg[] = { 1, 2, 3, 4, 5, 6 };

	assert_int_equal(read_reg((uint32_t[]){ 0, 1 }, reg, 6), 0);
	assert_int_equal(read_reg((uint32_t[]){ 1, 0 }, reg, 6), 0);
	assert_int_equal(read_reg((uint32_t[]){ 3, 1 }, reg, 6), 0);
	assert_int_equal(read_reg((uint32_t[]){ 0xffffffff, 1 }, reg, 6), 0);
}

TEST(an_empty_or_cut_range_is_left_out)
{
	assert_int_equal(read_reg((uint32_t[]){ 2, 1 }, (uint32_t[]){ 0, 0, 0, 0, 5 }, 5), 0);
	assert_int_equal(read_reg((uint32_t[]){ 2, 1 }, (uint32_t[]){ 0, 0, 7, 0, 5 }, 5), 1);
	assert_range(0, 0, 7);
	assert_int_equal(read_reg((uint32_t[]){ 2, 1 }, NULL, 0), 0);
}

TEST(nops_are_passed_over)
{
	const uint32_t reg[] = { 0, 4096, 8192 };
	struct fdt_blob blob = { 0 };

	blob_word(&blob, 4);
	blob_begin(&blob, "");
	blob_word(&blob, 4);
	blob_begin(&blob, "memory@1000");
	blob_word(&blob, 4);
	blob_text(&blob, "device_type", "memory");
	blob_word(&blob, 4);
	blob_cells(&blob, "reg", reg, 3);
	blob_word(&blob, 4);
	blob_end(&blob);
	blob_end(&blob);
	blob_word(&blob, 4);
	assert_int_equal(finish_and_read(&blob), 1);
	assert_range(0, 4096, 8192);
}

TEST(a_damaged_structure_is_no_tree)
{
	struct fdt_blob blob = { 0 };

	blob_end(&blob); /* of nothing */
	assert_int_equal(finish_and_read(&blob), 0);
	memset(&blob, 0, sizeof(blob));
	blob_begin(&blob, ""); /* never ended */
	assert_int_equal(finish_and_read(&blob), 0);
	memset(&blob, 0, sizeof(blob));
	blob_word(&blob, 77); /* no token */
	assert_int_equal(finish_and_read(&blob), 0);
	memset(&blob, 0, sizeof(blob));
	blob_begin(&blob, "");
	blob_word(&blob, 3); /* a property longer than everything */
	blob_word(&blob, 0xfffffffd);
	blob_word(&blob, 0);
	assert_int_equal(finish_and_read(&blob), 0);
}

/* Byte `at` of the header of a good tree becomes another. */
static unsigned with_byte(size_t at, uint8_t value)
{
	size_t size;
	uint8_t *blob = blob_of_rpi4(4096, &size);

	blob[at] = value;
	return read_and_free(blob, size);
}

TEST(a_damaged_header_is_no_tree)
{
	static const uint8_t fields[] = { 0, 4, 8, 12, 24, 32, 36 }; /* their highest bytes */

	assert_int_equal(with_byte(16, 0xff), 2); /* of the reservations: not read */
	for (unsigned i = 0; i < sizeof(fields); i++)
		assert_int_equal(with_byte(fields[i], 0xff), 0);
	assert_int_equal(with_byte(27, 18), 0); /* compatible with later versions only */
	assert_int_equal(with_byte(7, 39), 0);  /* smaller than its header */
	assert_int_equal(with_byte(11, 39), 0); /* the structure in the header */
}

TEST(a_cut_tree_is_no_tree)
{
	size_t size;
	uint8_t *blob = blob_of_rpi4(4096, &size);

	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *part = malloc(cut ? cut : 1);

		assert_non_null(part);
		memcpy(part, blob, cut);
		assert_int_equal(read_and_free(part, cut), 0);
	}
	assert_int_equal(read_blob(blob, size), 2);
	free(blob);
}

TEST(a_tree_larger_than_2_mib_is_not_read)
{
	const size_t size = FDT_SIZE_MAX + 16;
	size_t good_size;
	uint8_t *good = blob_of_rpi4(4096, &good_size);
	uint8_t *blob = calloc(1, size);

	assert_non_null(blob);
	memcpy(blob, good, good_size);
	memcpy(blob + 4, (uint8_t[]){ 0, 0x20, 0, 0 }, 4);
	assert_int_equal(read_blob(blob, size), 2);
	memcpy(blob + 4, (uint8_t[]){ 0, 0x20, 0, 1 }, 4);
	assert_int_equal(read_blob(blob, size), 0);
	free(blob);
	free(good);
}

/* Any damage: the sanitizers see no bad access, and the walk ends. */
TEST(damaged_at_random_nothing_else_is_read)
{
	size_t size;
	uint8_t *good = blob_of_rpi4(0x40000000, &size);
	uint8_t *blob = malloc(size);
	unsigned still_good = 0;

	assert_non_null(blob);
	srandom(4);
	for (unsigned round = 0; round < FUZZ_ROUNDS; round++) {
		memcpy(blob, good, size);
		for (long i = random() % 4; i >= 0; i--)
			blob[(size_t)random() % size] = (uint8_t)(random() >> 8);
		assert_true(read_blob(blob, size) <= MAX);
		still_good += count == 2;
	}
	/* Most damage is in text that does not matter, but not all of it. */
	assert_in_range(still_good, FUZZ_ROUNDS / 10, FUZZ_ROUNDS * 9 / 10);
	free(blob);
	free(good);
}
