/* SPDX-License-Identifier: Apache-2.0 */
/* Where devices are, and what texts nodes have, from device trees that are well and damaged. */
/* LINK: guest/probe/fdt.c guest/probe/tree.c tests/unit/fdt_blob.c */
#include <stdlib.h>
#include <string.h>

#include "guest/probe/tree.h"
#include "lib/random.h"
#include "tests/unit/fdt_blob.h"
#include "tests/unit/unit.h"

#define FUZZ_ROUNDS 100000u

static uint8_t *blob;
static size_t size;

/* A list of texts, as `compatible` is one. */
#define LIST(name, texts) blob_property(&made, name, texts, sizeof(texts))

static void make(void)
{
	const uint32_t two = 2;
	const uint32_t gic[] = { 0, 0x08000000, 0, 0x10000, 0, 0x08010000, 0, 0x20000 };
	const uint32_t first[] = { 0, 0x09000000, 0, 0x1000 };
	const uint32_t second[] = { 1, 0x09040000, 0, 0x1000 };
	struct fdt_blob made = { 0 };

	blob_begin(&made, "");
	blob_cells(&made, "#address-cells", &two, 1);
	blob_cells(&made, "#size-cells", &two, 1);
	blob_text(&made, "method", "of the root");
	blob_begin(&made, "intc@8000000");
	blob_cells(&made, "reg", gic, 8);
	blob_text(&made, "compatible", "arm,cortex-a15-gic");
	blob_begin(&made, "v2m");
	blob_text(&made, "compatible", "arm,gic-v2m-frame"); /* not a child of the root */
	blob_end(&made);
	blob_end(&made);
	blob_begin(&made, "pl011@9000000");
	LIST("compatible", "arm,pl011\0arm,primecell");
	blob_cells(&made, "reg", first, 4);
	blob_end(&made);
	blob_begin(&made, "pl011@109040000");
	LIST("compatible", "arm,pl011\0arm,primecell");
	blob_cells(&made, "reg", second, 4);
	blob_end(&made);
	blob_begin(&made, "psci");
	blob_text(&made, "method", "hvc");
	blob_end(&made);
	blob_begin(&made, "chosen@1");
	blob_text(&made, "bootargs", "samples=7 delay=4");
	blob_end(&made);
	blob_end(&made);
	blob = blob_finish(&made, &size);
}

static void drop(void)
{
	free(blob);
}

EACH_TEST(make, drop);

static unsigned device(const char *compatible, struct fdt_range range[2])
{
	memset(range, 0, 2 * sizeof(range[0]));
	return tree_device(blob, size, compatible, range, 2);
}

TEST(a_device_is_found_with_its_ranges)
{
	struct fdt_range range[2];

	assert_int_equal(device("arm,cortex-a15-gic", range), 2);
	assert_true(range[0].base == 0x08000000 && range[0].size == 0x10000);
	assert_true(range[1].base == 0x08010000 && range[1].size == 0x20000);
}

TEST(the_first_of_two_is_taken_by_any_name_of_its_list)
{
	struct fdt_range range[2];

	assert_int_equal(device("arm,pl011", range), 1);
	assert_true(range[0].base == 0x09000000);
	assert_int_equal(device("arm,primecell", range), 1);
	assert_true(range[0].base == 0x09000000);
}

TEST(part_of_a_name_or_a_grandchild_is_no_device)
{
	static const char *const names[] = { "arm,pl01",          "arm,pl0110", "pl011",
					     "arm,gic-v2m-frame", "primecell",  "" };
	struct fdt_range range[2];

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(device(names[i], range), 0);
}

TEST(a_text_is_found_by_node_and_property)
{
	char text[32];

	assert_true(tree_text(blob, size, "psci", "method", text, sizeof(text)));
	assert_string_equal(text, "hvc");
	assert_true(tree_text(blob, size, "chosen", "bootargs", text, sizeof(text)));
	assert_string_equal(text, "samples=7 delay=4");
}

TEST(what_is_not_there_is_an_empty_text)
{
	static const char *const names[][2] = { { "psci", "bootargs" }, { "chosen", "method" },
						{ "psc", "method" },    { "pscii", "method" },
						{ "", "method" },       { "psci", "" } };
	char text[32];

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		strcpy(text, "before");
		assert_false(tree_text(blob, size, names[i][0], names[i][1], text, sizeof(text)));
		assert_string_equal(text, "");
	}
}

TEST(a_text_that_is_too_long_is_cut)
{
	char text[8];

	assert_true(tree_text(blob, size, "chosen", "bootargs", text, sizeof(text)));
	assert_string_equal(text, "samples");
}

TEST(a_tree_that_is_cut_has_nothing)
{
	struct fdt_range range[2];
	char text[32];

	for (size_t limit = 0; limit < size; limit++) {
		assert_int_equal(tree_device(blob, limit, "arm,pl011", range, 2), 0);
		assert_false(tree_text(blob, limit, "psci", "method", text, sizeof(text)));
	}
}

/* The address sanitizer sees a read outside of the blob, or a write outside of the text. */
TEST(damaged_at_random_nothing_else_is_touched)
{
	struct random random;

	random_init(&random, 1, 1);
	for (unsigned i = 0; i < FUZZ_ROUNDS; i++) {
		struct fdt_range range[2];
		char text[8];
		uint32_t at = random_below(&random, (uint32_t)size);
		uint8_t kept = blob[at];

		blob[at] = (uint8_t)random_next(&random);
		assert_true(tree_device(blob, size, "arm,cortex-a15-gic", range, 2) <= 2);
		tree_text(blob, size, "chosen", "bootargs", text, sizeof(text));
		assert_true(strlen(text) < sizeof(text));
		blob[at] = kept;
	}
}
