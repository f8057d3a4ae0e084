/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "lib/histogram.h"

/* Return the percentile by nearest rank for permille = 0 … 1000: the smallest value with at least
 * ceil(n * permille / 1000) samples, and at least one, at or below it. The value of a bucket is its
 * upper edge, clipped to [min, max]; the value of the overflow bucket is max. The percentile is 0
 * without samples. */
uint64_t histogram_percentile(const struct histogram *histogram, uint32_t permille);
