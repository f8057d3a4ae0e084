/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/histogram.h"

#include <string.h>

void histogram_init(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
	stats_init(&histogram->stats);
}

uint32_t histogram_upper_edge(uint32_t bucket)
{
	return histogram_lower_edge(bucket + 1) - 1; /* modulo 2^32 */
}
