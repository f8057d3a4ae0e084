/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/histogram.h"

#include <string.h>

void histogram_init(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
	stats_init(&histogram->stats);
}
