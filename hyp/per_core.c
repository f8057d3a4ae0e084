/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/per_core.h"

#include "hyp/image.h"

size_t per_core_size(void)
{
	return (size_t)(__percore_end - __percore_start);
}

uint8_t *per_core_base(unsigned core)
{
	return core ? __percore_copies + (core - 1) * per_core_size() : __percore_start;
}

void *per_core_of(void *variable, unsigned core)
{
	return per_core_base(core) + ((uint8_t *)variable - __percore_start);
}
