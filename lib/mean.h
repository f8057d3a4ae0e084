/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* Return the mean in thousandths, rounded to nearest, halves up; 0 for n == 0. */
static inline uint64_t mean_milli(uint64_t sum, uint32_t n)
{
	if (n == 0)
		return 0;
	return sum / n * 1000 + (sum % n * 1000 + n / 2) / n;
}
