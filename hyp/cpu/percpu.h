/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access to another core's copies of PERCPU variables. Core 0's copies are at the address of the
 * variables. The other cores' copies follow the image's data (linker/hyp.ld.S), where every core
 * maps them a second time.
 */
#pragma once

#include "hyp/base/image.h"
#include "lib/percpu.h"

/* Return the size of a core's copies in bytes, a multiple of the page size. */
static inline size_t percpu_size(void)
{
	return (size_t)(__percore_end - __percore_start);
}

/* Return the address of a core's copies. */
static inline uint8_t *percpu_base(unsigned core)
{
	return core ? __percore_copies + (core - 1) * percpu_size() : __percore_start;
}
