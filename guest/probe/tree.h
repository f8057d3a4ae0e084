/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and texts in the children of a device tree's root (guest/probe/fdt.h). */
#pragma once

#include "guest/probe/fdt.h"

/*
 * Store the ranges in `reg` of the first child that is `compatible`; otherwise like fdt_memory().
 */
unsigned tree_device(const void *blob, size_t limit, const char *compatible,
		     struct fdt_range *range, unsigned max);

/* Copy the text at the start of a property of the child `name` (without its unit address, @1000)
 * into `text`, cut to its size, with a NUL. If there is none, return false and an empty text. */
bool tree_text(const void *blob, size_t limit, const char *name, const char *property, char *text,
	       size_t size);
