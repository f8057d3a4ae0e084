/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memset() in place of the C library's, since the guest builds its translation tables before it
 * turns the MMU on: a library's may use DC ZVA or unaligned stores, which fault on the Device
 * memory that everything is until then (DDI 0487 B2.7.2, D8.9). Built, like the rest, with
 * -fno-tree-loop-distribute-patterns: or the compiler would make the loop a call to memset().
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
