/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/alias_window.h"

#include <stddef.h>

#include "lib/bits.h"

#define WINDOW_COUNT 4u

static bool touches(const struct alias_range *range, uint64_t base)
{
	return range->size != 0 && range->start < base + ALIAS_WINDOW_SIZE &&
	       range->start + range->size > base;
}

static bool is_free(const struct alias_range *used, unsigned count, uint64_t base)
{
	for (unsigned i = 0; i < count; i++)
		if (touches(&used[i], base))
			return false;
	return true;
}

bool alias_window_choose(const struct alias_range *used, unsigned count, uint64_t *base)
{
	for (unsigned gib = WINDOW_COUNT; gib-- > 0;) {
		*base = gib * ALIAS_WINDOW_SIZE;
		if (is_free(used, count, *base))
			return true;
	}
	return false;
}

const char *alias_window_refuses(const struct alias_range *ram, uint64_t end, uint64_t leaf_size)
{
	uint64_t need = align_up(end, leaf_size) - ram->start;

	if (ram->start % leaf_size != 0 || ram->size < leaf_size)
		return "guest RAM does not begin with a whole, aligned block of the size of stage1";
	if (need > ram->size || need > ALIAS_WINDOW_SIZE)
		return "not enough memory";
	return NULL;
}
