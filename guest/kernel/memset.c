/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memset() in place of the C library's version. The guest builds its translation tables before it
 * turns the MMU on, when all memory is Device memory. A library's version may use DC ZVA or
 * unaligned stores, which fault on Device memory (DDI 0487 B2.7.2, D8.9). The build option
 * -fno-tree-loop-distribute-patterns keeps the compiler from turning this loop into a call of
 * memset().
 */
#include <stddef.h>
#include <string.h>

void *memset(void *start, int value, size_t size)
{
	unsigned char *byte = start;

	while (size--)
		*byte++ = (unsigned char)value;
	return start;
}
