/* SPDX-License-Identifier: Apache-2.0 */
/* A flattened device tree (Devicetree Specification, chapter 5), read for what stands in the root's
 * children: where RAM and devices are. Whatever stands in it, nothing outside of it is read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FDT_SIZE_MAX 0x200000u /* bytes; no boot loader hands on a larger one */

struct fdt_range {
	uint64_t base;
	uint64_t size; /* bytes */
};

/* The ranges of the memory nodes, empty ones left out, in `range`: how many there are, at most
 * `max`. 0 also where `blob` is no device tree, or a damaged one. At most `limit` bytes of it may
 * be read. Any alignment of `blob` does. */
unsigned fdt_memory(const void *blob, size_t limit, struct fdt_range *range, unsigned max);

/* The same of the first child of the root that says it is `compatible`: what it has in `reg`. */
unsigned fdt_device(const void *blob, size_t limit, const char *compatible, struct fdt_range *range,
		    unsigned max);

/* The text that a property of the root's child `name` begins with, NUL-terminated in `text`, cut
 * where it is too long; false, and an empty one, where there is none. A unit address (@1000) is no
 * part of the name. */
bool fdt_text(const void *blob, size_t limit, const char *name, const char *property, char *text,
	      size_t size);

/* All of [base, base + size) is in one or several of the ranges, in any order. */
bool fdt_covers(const struct fdt_range *range, unsigned count, uint64_t base, uint64_t size);
