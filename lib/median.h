/* SPDX-License-Identifier: Apache-2.0 */
/* The median of a few values: one disturbance in a measurement does not move it. */
#pragma once

#include <stdint.h>

/* Sort the values and return their median; of an even number, the upper of the two in the middle.
 * count > 0. */
uint64_t median(uint64_t *value, unsigned count);
