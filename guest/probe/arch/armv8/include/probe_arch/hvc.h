/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* Return the HVC instruction with an immediate of 16 bits (DDI 0487 C6.2). */
static inline uint32_t hvc_word(uint32_t immediate)
{
	return 0xd4000002u | (immediate & 0xffff) << 5;
}
