/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "lib/stats.h"

/* Return the standard deviation of the population (divided by n) in thousandths, rounded to
 * nearest, halves up; 0 without samples. The function is slow: some ten thousand instructions. */
uint64_t stats_stddev_milli(const struct stats *stats);
