/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/median.h"

/* Insertion sort is enough for a hundred values. */
uint64_t median(uint64_t *value, unsigned count)
{
	for (unsigned i = 1; i < count; i++) {
		uint64_t moved = value[i];
		unsigned at = i;

		for (; at > 0 && value[at - 1] > moved; at--)
			value[at] = value[at - 1];
		value[at] = moved;
	}
	return value[count / 2];
}
