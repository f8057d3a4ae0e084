/* SPDX-License-Identifier: Apache-2.0 */
/* The median of a few values. A single disturbed measurement does not move the median. */
#pragma once

#include <stdint.h>

/* Sort the values and return their median. For an even number of values, return the upper of the
 * two in the middle. `count` must not be 0. */
uint64_t median(uint64_t *value, unsigned count);
