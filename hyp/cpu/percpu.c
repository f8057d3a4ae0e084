/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/cpu/percpu.h"

#include "hyp/base/image.h"

size_t percpu_size(void)
{
	return (size_t)(__percore_end - __percore_start);
}

uint8_t *percpu_base(unsigned core)
{
	return core ? __percore_copies + (core - 1) * percpu_size() : __percore_start;
}
