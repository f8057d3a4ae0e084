/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "arch/stamp.h"

/* Return the ticks since `start`. */
static inline __attribute__((always_inline)) uint64_t probe_since(uint64_t start)
{
	return probe_read() - start;
}
