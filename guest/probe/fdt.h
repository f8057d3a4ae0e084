/* SPDX-License-Identifier: Apache-2.0 */
/* A reader of the children of the root of a flattened device tree (Devicetree Specification,
 * chapter 5). No function reads outside of the tree, even if the tree is damaged. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FDT_SIZE_MAX 0x200000u /* bytes; boot loaders pass no larger trees */

struct fdt_range {
	uint64_t base;
	uint64_t size; /* bytes */
};

/* The first `count` of at most `max` ranges are in use. */
struct fdt_ranges {
	struct fdt_range *range;
	unsigned count;
	unsigned max;
};

struct fdt_part {
	const uint8_t *at;
	uint32_t size; /* bytes */
};

/* A child of the root. A missing property has size 0. */
struct fdt_child {
	struct fdt_part name; /* with the unit address, without a NUL */
	struct fdt_part value;
	struct fdt_part reg;
	uint32_t address_cells, size_cells; /* cells in `reg` */
};

/*
 * Call visit() for each child of the root, with the value of this property in child->value. Return
 * false if `blob` is no device tree or the walk met damage, perhaps after some calls. The walk
 * reads at most `limit` bytes of `blob`, which may have any alignment.
 */
typedef void fdt_visit(const struct fdt_child *child, void *context);
bool fdt_children(const void *blob, size_t limit, const char *property, fdt_visit *visit,
		  void *context);

/* Return whether the part begins with this text and its NUL. */
bool fdt_is_text(struct fdt_part part, const char *text);

/* Append the non-empty ranges in `reg` while there is room. */
void fdt_append(struct fdt_ranges *ranges, const struct fdt_child *child);

/* Store the non-empty ranges of the memory nodes and return their number, at most `max`. Return 0
 * if `blob` is no device tree or is damaged. `limit` is that of fdt_children(). */
unsigned fdt_memory(const void *blob, size_t limit, struct fdt_range *range, unsigned max);
