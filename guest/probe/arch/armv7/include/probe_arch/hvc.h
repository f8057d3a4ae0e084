/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* Return the HVC instruction with an immediate of 16 bits (DDI 0406C B9.3.3). */
static inline uint32_t hvc_word(uint32_t immediate)
{
	return 0xe1400070u | (immediate & 0xfff0) << 4 | (immediate & 0xf);
}
