/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memcpy() in place of the C library's version, which copies through FP registers on AArch32. The
 * compiler may call memcpy() for any structure, also in an interrupt handler, and interrupt
 * handlers do not save FP registers.
 */
#include <string.h>

#include "arch/types.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	unsigned char *byte = to;
	const unsigned char *source = from;

	if (((uintptr_t)to | (uintptr_t)from) % sizeof(reg_t) == 0)
		for (; size >= sizeof(reg_t); size -= sizeof(reg_t)) {
			*(reg_t *)(void *)byte = *(const reg_t *)(const void *)source;
			byte += sizeof(reg_t);
			source += sizeof(reg_t);
		}
	while (size--)
		*byte++ = *source++;
	return to;
}
