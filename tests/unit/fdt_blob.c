/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/fdt_blob.h"

#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

#define HEADER_SIZE 40u
#define RESERVE_SIZE 16u /* the memory reservation block: its end alone */

static void put_be32(uint8_t *at, uint32_t word)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(word >> (24 - 8 * i));
}

void blob_word(struct fdt_blob *blob, uint32_t word)
{
	assert_true(blob->structure_size + 4 <= FDT_BLOB_MAX);
	put_be32(blob->structure + blob->structure_size, word);
	blob->structure_size += 4;
}

static void padded(struct fdt_blob *blob, const void *bytes, size_t size)
{
	size_t whole = (size + 3) & ~(size_t)3;

	assert_true(blob->structure_size + whole <= FDT_BLOB_MAX);
	memset(blob->structure + blob->structure_size, 0, whole);
	if (size)
		memcpy(blob->structure + blob->structure_size, bytes, size);
	blob->structure_size += whole;
}

void blob_begin(struct fdt_blob *blob, const char *name)
{
	blob_word(blob, 1);
	padded(blob, name, strlen(name) + 1);
}

void blob_end(struct fdt_blob *blob)
{
	blob_word(blob, 2);
}

static uint32_t string_offset(struct fdt_blob *blob, const char *name)
{
	size_t size = strlen(name) + 1, at = 0;

	while (at < blob->strings_size && strcmp(blob->strings + at, name) != 0)
		at += strlen(blob->strings + at) + 1;
	if (at == blob->strings_size) {
		assert_true(at + size <= FDT_BLOB_MAX);
		memcpy(blob->strings + at, name, size);
		blob->strings_size += size;
	}
	return (uint32_t)at;
}

void blob_property(struct fdt_blob *blob, const char *name, const void *value, size_t size)
{
	blob_word(blob, 3);
	blob_word(blob, (uint32_t)size);
	blob_word(blob, string_offset(blob, name));
	padded(blob, value, size);
}

void blob_text(struct fdt_blob *blob, const char *name, const char *value)
{
	blob_property(blob, name, value, strlen(value) + 1);
}

void blob_cells(struct fdt_blob *blob, const char *name, const uint32_t *cell, unsigned count)
{
	uint8_t bytes[64];

	assert_true(count * 4 <= sizeof(bytes));
	for (unsigned i = 0; i < count; i++)
		put_be32(bytes + 4 * i, cell[i]);
	blob_property(blob, name, bytes, count * 4);
}

uint8_t *blob_finish(struct fdt_blob *blob, size_t *size)
{
	size_t structure = HEADER_SIZE + RESERVE_SIZE;
	size_t strings;
	uint8_t *made;

	blob_word(blob, 9);
	strings = structure + blob->structure_size;
	*size = strings + blob->strings_size;
	made = calloc(1, *size);
	assert_non_null(made);
	put_be32(made, 0xd00dfeed);
	put_be32(made + 4, (uint32_t)*size);
	put_be32(made + 8, (uint32_t)structure);
	put_be32(made + 12, (uint32_t)strings);
	put_be32(made + 16, HEADER_SIZE);
	put_be32(made + 20, 17);
	put_be32(made + 24, 16);
	put_be32(made + 32, (uint32_t)blob->strings_size);
	put_be32(made + 36, (uint32_t)blob->structure_size);
	memcpy(made + structure, blob->structure, blob->structure_size);
	memcpy(made + strings, blob->strings, blob->strings_size);
	return made;
}

uint8_t *blob_of_rpi4(uint32_t high_size, size_t *size)
{
	const uint32_t two = 2, one = 1;
	const uint32_t reg[] = { 0, 0, 0x3b400000, 0, 0x40000000, high_size };
	struct fdt_blob blob = { 0 };

	blob_begin(&blob, "");
	blob_cells(&blob, "#address-cells", &two, 1);
	blob_cells(&blob, "#size-cells", &one, 1);
	blob_text(&blob, "compatible", "raspberrypi,4-model-b");
	blob_begin(&blob, "soc");
	blob_cells(&blob, "#address-cells", &one, 1); /* its own, and no matter */
	blob_text(&blob, "device_type", "soc");
	blob_begin(&blob, "memory@7e000000");
	blob_text(&blob, "device_type", "memory"); /* not a child of the root */
	blob_cells(&blob, "reg", reg, 3);
	blob_end(&blob);
	blob_end(&blob);
	blob_begin(&blob, "memory@0");
	blob_cells(&blob, "reg", reg, high_size ? 6 : 3);
	blob_text(&blob, "device_type", "memory");
	blob_end(&blob);
	blob_end(&blob);
	return blob_finish(&blob, size);
}
