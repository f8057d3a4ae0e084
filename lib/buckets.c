/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/buckets.h"

uint32_t histogram_lower_edge(uint32_t bucket)
{
	uint32_t shift = bucket < 512 ? 0 : bucket / 256 - 1; /* log2 of the width */

	return (bucket - shift * 256) << shift;
}

void histogram_json(const uint32_t *count, struct text *text)
{
	const char *separator = "[";

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (count[i] == 0)
			continue;
		text_format(text, "%s[%ju,%ju]", separator, (uintmax_t)histogram_lower_edge(i),
			    (uintmax_t)count[i]);
		separator = ",";
	}
	text_string(text, *separator == '[' ? "[]" : "]");
}
