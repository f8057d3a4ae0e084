/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "lib/stats.h"

/* Standard deviation of the population (divided by n) in thousandths, to the nearest, a half
 * upwards; 0 without samples. Slow: some ten thousand instructions. */
uint64_t stats_stddev_milli(const struct stats *stats);
