/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of reading RAM, devices and texts from correct, odd, damaged and random device trees. */
/* LINK: guest/probe/fdt.c guest/probe/tree.c */
#include <stdlib.h>
#include <string.h>

#include "guest/probe/fdt.h"
#include "guest/probe/tree.h"
#include "lib/bits.h"
#include "lib/random.h"
#include "tests/unit/unit.h"

#define MAX 4u
#define FUZZ_ROUNDS 200000u
#define MAKER_MAX 4096u

/* --- a maker of trees --- */

struct maker {
	uint8_t structure[MAKER_MAX];
	size_t structure_size;
	char strings[MAKER_MAX];
	size_t strings_size;
};

#define HEADER_SIZE 40u
#define RESERVE_SIZE 16u /* the memory reservation block, which has only its end */

static void put_be32(uint8_t *at, uint32_t word)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(word >> (24 - 8 * i));
}

static void put_word(struct maker *maker, uint32_t word)
{
	assert_true(maker->structure_size + 4 <= MAKER_MAX);
	put_be32(maker->structure + maker->structure_size, word);
	maker->structure_size += 4;
}

static void padded(struct maker *maker, const void *bytes, size_t size)
{
	size_t whole = (size + 3) & ~(size_t)3;

	assert_true(maker->structure_size + whole <= MAKER_MAX);
	memset(maker->structure + maker->structure_size, 0, whole);
	if (size)
		memcpy(maker->structure + maker->structure_size, bytes, size);
	maker->structure_size += whole;
}

static void put_begin(struct maker *maker, const char *name)
{
	put_word(maker, 1);
	padded(maker, name, strlen(name) + 1);
}

static void put_end(struct maker *maker)
{
	put_word(maker, 2);
}

static uint32_t string_offset(struct maker *maker, const char *name)
{
	size_t size = strlen(name) + 1, at = 0;

	while (at < maker->strings_size && strcmp(maker->strings + at, name) != 0)
		at += strlen(maker->strings + at) + 1;
	if (at == maker->strings_size) {
		assert_true(at + size <= MAKER_MAX);
		memcpy(maker->strings + at, name, size);
		maker->strings_size += size;
	}
	return (uint32_t)at;
}

static void put_property(struct maker *maker, const char *name, const void *value, size_t size)
{
	put_word(maker, 3);
	put_word(maker, (uint32_t)size);
	put_word(maker, string_offset(maker, name));
	padded(maker, value, size);
}

static void put_text(struct maker *maker, const char *name, const char *value)
{
	put_property(maker, name, value, strlen(value) + 1);
}

static void put_cells(struct maker *maker, const char *name, const uint32_t *cell, unsigned count)
{
	uint8_t bytes[64];

	assert_true(count * 4 <= sizeof(bytes));
	for (unsigned i = 0; i < count; i++)
		put_be32(bytes + 4 * i, cell[i]);
	put_property(maker, name, bytes, count * 4);
}

static uint8_t *finish(struct maker *maker, size_t *size)
{
	size_t structure = HEADER_SIZE + RESERVE_SIZE;
	size_t strings;
	uint8_t *made;

	put_word(maker, 9);
	strings = structure + maker->structure_size;
	*size = strings + maker->strings_size;
	made = calloc(1, *size);
	assert_non_null(made);
	put_be32(made, 0xd00dfeed);
	put_be32(made + 4, (uint32_t)*size);
	put_be32(made + 8, (uint32_t)structure);
	put_be32(made + 12, (uint32_t)strings);
	put_be32(made + 16, HEADER_SIZE);
	put_be32(made + 20, 17);
	put_be32(made + 24, 16);
	put_be32(made + 32, (uint32_t)maker->strings_size);
	put_be32(made + 36, (uint32_t)maker->structure_size);
	memcpy(made + structure, maker->structure, maker->structure_size);
	memcpy(made + strings, maker->strings, maker->strings_size);
	return made;
}

/* --- the tree of most tests, and functions that read a tree --- */

static uint8_t *blob; /* on the heap, so that the sanitizer sees a read outside of the tree */
static size_t size;
static struct fdt_range range[MAX];

static void put_device(struct maker *maker, const char *name, const char *compatible,
		       size_t text_size, const uint32_t *reg, unsigned cells)
{
	put_begin(maker, name);
	put_property(maker, "compatible", compatible, text_size);
	put_cells(maker, "reg", reg, cells);
	put_end(maker);
}

/* Make a tree with the cells and the memory of a Raspberry Pi's firmware. A property may come
 * before or after the property that it describes, NOPs anywhere, and a grandchild is no child. */
static void make(void)
{
	static const char uart[] = "arm,pl011\0arm,primecell";
	const uint32_t two = 2, one = 1;
	const uint32_t memory[] = { 0, 0, 0x3b400000, 0, 0x40000000, 0x40000000 };
	const uint32_t gic[] = { 0, 0x08000000, 0x10000, 0, 0x08010000, 0x20000 };
	const uint32_t uarts[][3] = { { 0, 0x09000000, 0x1000 }, { 1, 0x09040000, 0x1000 } };
	struct maker maker = { 0 };

	put_word(&maker, 4); /* NOP */
	put_begin(&maker, "");
	put_word(&maker, 4);
	put_cells(&maker, "#address-cells", &two, 1);
	put_cells(&maker, "#size-cells", &one, 1);
	put_text(&maker, "method", "of the root");
	put_begin(&maker, "soc");
	put_cells(&maker, "#address-cells", &one, 1); /* the cells of its children */
	put_begin(&maker, "memory@7e000000");
	put_text(&maker, "device_type", "memory");
	put_text(&maker, "compatible", "arm,gic-v2m-frame");
	put_cells(&maker, "reg", memory, 3);
	put_end(&maker);
	put_end(&maker);
	put_begin(&maker, "memory@0");
	put_cells(&maker, "reg", memory, 6);
	put_word(&maker, 4);
	put_text(&maker, "device_type", "memory");
	put_end(&maker);
	put_device(&maker, "intc@8000000", "arm,cortex-a15-gic", 19, gic, 6);
	put_device(&maker, "pl011@9000000", uart, sizeof(uart), uarts[0], 3);
	put_device(&maker, "pl011@109040000", uart, sizeof(uart), uarts[1], 3);
	put_begin(&maker, "psci");
	put_text(&maker, "method", "hvc");
	put_end(&maker);
	put_begin(&maker, "chosen@1");
	put_text(&maker, "bootargs", "samples=7 delay=4");
	put_end(&maker);
	put_end(&maker);
	blob = finish(&maker, &size);
}

static void drop(void)
{
	free(blob);
}

EACH_TEST(make, drop);

static unsigned memory_in(const void *of, size_t limit)
{
	memset(range, 0xff, sizeof(range));
	return fdt_memory(of, limit, range, MAX);
}

static unsigned device(const char *compatible)
{
	memset(range, 0, sizeof(range));
	return tree_device(blob, size, compatible, range, MAX);
}

static void assert_range(unsigned i, uint64_t base, uint64_t bytes)
{
	assert_true(range[i].base == base);
	assert_true(range[i].size == bytes);
}

/* --- correct trees --- */

TEST(no_more_ranges_of_memory_are_given_than_asked_for)
{
	assert_int_equal(memory_in(blob, size), 2);
	assert_range(0, 0, 0x3b400000);
	assert_range(1, 0x40000000, 0x40000000);
	memset(range, 0xff, sizeof(range));
	assert_int_equal(fdt_memory(blob, size, range, 1), 1);
	assert_range(0, 0, 0x3b400000);
	assert_true(range[1].base == UINT64_MAX);
}

/* An address or a size has one cell or two. Without the properties an address has 2 and a size 1.
 * Other numbers of cells are refused. An empty or cut range is left out. */
TEST(the_cells_of_the_root_divide_the_ranges)
{
	static const struct {
		uint32_t cells[2], reg[6]; /* cells of 99: the root has no such property */
		unsigned words, count;
		uint64_t base, bytes; /* of the first range */
	} rows[] = {
		{ { 1, 1 }, { 1, 2, 3, 4 }, 4, 2, 1, 2 },
		{ { 2, 2 }, { 1, 2, 3, 4 }, 4, 1, 0x100000002, 0x300000004 },
		{ { 1, 2 }, { 1, 2, 3 }, 3, 1, 1, 0x200000003 },
		{ { 99, 99 }, { 1, 2, 3 }, 3, 1, 0x100000002, 3 },
		{ { 0, 1 }, { 1, 2, 3, 4, 5, 6 }, 6, 0, 0, 0 },
		{ { 1, 0 }, { 1, 2, 3, 4, 5, 6 }, 6, 0, 0, 0 },
		{ { 3, 1 }, { 1, 2, 3, 4, 5, 6 }, 6, 0, 0, 0 },
		{ { 0xffffffff, 1 }, { 1, 2, 3, 4, 5, 6 }, 6, 0, 0, 0 },
		{ { 2, 1 }, { 0, 0, 0, 0, 5 }, 5, 0, 0, 0 },
		{ { 2, 1 }, { 0, 0, 7, 0, 5 }, 5, 1, 0, 7 },
		{ { 2, 1 }, { 0 }, 0, 0, 0, 0 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct maker maker = { 0 };
		size_t made_size;
		uint8_t *made;

		put_begin(&maker, "");
		if (rows[i].cells[0] != 99) {
			put_cells(&maker, "#address-cells", &rows[i].cells[0], 1);
			put_cells(&maker, "#size-cells", &rows[i].cells[1], 1);
		}
		put_begin(&maker, "memory");
		put_text(&maker, "device_type", "memory");
		put_cells(&maker, "reg", rows[i].reg, rows[i].words);
		put_end(&maker);
		put_end(&maker);
		made = finish(&maker, &made_size);
		assert_int_equal(memory_in(made, made_size), rows[i].count);
		if (rows[i].count)
			assert_range(0, rows[i].base, rows[i].bytes);
		free(made);
	}
}

/* A device is found by a whole name of its list. Of two devices the first is found. */
TEST(a_device_is_found_with_its_ranges)
{
	static const char *const none[] = { "arm,pl01",          "arm,pl0110", "pl011",
					    "arm,gic-v2m-frame", "primecell",  "" };

	assert_int_equal(device("arm,cortex-a15-gic"), 2);
	assert_range(0, 0x08000000, 0x10000);
	assert_range(1, 0x08010000, 0x20000);
	assert_int_equal(device("arm,pl011"), 1);
	assert_range(0, 0x09000000, 0x1000);
	assert_int_equal(device("arm,primecell"), 1);
	assert_range(0, 0x09000000, 0x1000);
	for (unsigned i = 0; i < ARRAY_SIZE(none); i++)
		assert_int_equal(device(none[i]), 0);
}

TEST(a_text_is_found_by_node_and_property_and_cut_to_its_room)
{
	static const char *const rows[][3] = {
		{ "psci", "method", "hvc" }, { "chosen", "bootargs", "samples" },
		{ "psci", "bootargs", "" },  { "chosen", "method", "" },
		{ "psc", "method", "" },     { "pscii", "method", "" },
		{ "", "method", "" },        { "psci", "", "" },
	};
	char text[8];

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		strcpy(text, "before");
		assert_int_equal(tree_text(blob, size, rows[i][0], rows[i][1], text, sizeof(text)),
				 *rows[i][2] != 0);
		assert_string_equal(text, rows[i][2]);
	}
}

/* --- damage --- */

static void assert_is_no_tree(struct maker *maker)
{
	size_t made_size;
	uint8_t *made = finish(maker, &made_size);

	assert_int_equal(memory_in(made, made_size), 0);
	free(made);
}

TEST(a_damaged_structure_is_no_tree)
{
	struct maker ended = { 0 }, begun = { 0 }, odd = { 0 }, longer = { 0 };

	put_end(&ended); /* an end without a beginning */
	assert_is_no_tree(&ended);
	put_begin(&begun, ""); /* never ended */
	assert_is_no_tree(&begun);
	put_word(&odd, 77); /* an unknown token */
	assert_is_no_tree(&odd);
	put_begin(&longer, "");
	put_word(&longer, 3); /* a property longer than everything */
	put_word(&longer, 0xfffffffd);
	put_word(&longer, 0);
	assert_is_no_tree(&longer);
}

static unsigned with_byte(size_t at, uint8_t value)
{
	uint8_t kept = blob[at];
	unsigned count;

	blob[at] = value;
	count = memory_in(blob, size);
	blob[at] = kept;
	return count;
}

TEST(a_damaged_header_is_no_tree)
{
	static const uint8_t fields[] = { 0, 4, 8, 12, 24, 32, 36 }; /* their highest bytes */

	assert_int_equal(with_byte(16, 0xff), 2); /* offset of the reservations: not read */
	for (unsigned i = 0; i < sizeof(fields); i++)
		assert_int_equal(with_byte(fields[i], 0xff), 0);
	assert_int_equal(with_byte(27, 18), 0); /* compatible with later versions only */
	assert_int_equal(with_byte(7, 39), 0);  /* smaller than its header */
	assert_int_equal(with_byte(11, 39), 0); /* the structure begins in the header */
}

TEST(a_cut_tree_has_nothing)
{
	char text[32];

	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *part = malloc(cut ? cut : 1);

		assert_non_null(part);
		memcpy(part, blob, cut);
		assert_int_equal(memory_in(part, cut), 0);
		assert_int_equal(tree_device(part, cut, "arm,pl011", range, MAX), 0);
		assert_false(tree_text(part, cut, "psci", "method", text, sizeof(text)));
		free(part);
	}
}

TEST(a_tree_larger_than_2_mib_is_not_read)
{
	uint8_t *large = calloc(1, FDT_SIZE_MAX + 16);

	assert_non_null(large);
	memcpy(large, blob, size);
	memcpy(large + 4, (uint8_t[]){ 0, 0x20, 0, 0 }, 4);
	assert_int_equal(memory_in(large, FDT_SIZE_MAX + 16), 2);
	memcpy(large + 4, (uint8_t[]){ 0, 0x20, 0, 1 }, 4);
	assert_int_equal(memory_in(large, FDT_SIZE_MAX + 16), 0);
	free(large);
}

/* The sanitizer reports a read outside the tree or a write outside the text. The walk ends. */
TEST(damaged_at_random_nothing_else_is_touched)
{
	uint8_t *good = malloc(size);
	struct random random;
	unsigned still_good = 0;
	char text[8];

	assert_non_null(good);
	memcpy(good, blob, size);
	random_init(&random, 4, 0);
	for (unsigned round = 0; round < FUZZ_ROUNDS; round++) {
		memcpy(blob, good, size);
		for (unsigned i = random_below(&random, 4) + 1; i; i--)
			blob[random_below(&random, (uint32_t)size)] = (uint8_t)random_next(&random);
		still_good += memory_in(blob, size) == 2;
		assert_true(device("arm,cortex-a15-gic") <= MAX);
		tree_text(blob, size, "chosen", "bootargs", text, sizeof(text));
		assert_true(strlen(text) < sizeof(text));
	}
	/* Most damage is in text that does not matter, but not all of it. */
	assert_in_range(still_good, FUZZ_ROUNDS / 10, FUZZ_ROUNDS * 9 / 10);
	free(good);
}
