/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of <string.h> that the hypervisor and its compiler call. A libc's use the vector
 * registers, which hold the guest's values. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uintptr_t word __attribute__((may_alias));

/* How many of the bytes go word by word. */
static size_t words_of(uintptr_t addresses, size_t size)
{
	return addresses % sizeof(word) == 0 ? size - size % sizeof(word) : 0;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	uint8_t *d = to;
	const uint8_t *s = from;
	size_t i, words = words_of((uintptr_t)to | (uintptr_t)from, size);

	for (i = 0; i < words; i += sizeof(word))
		*(word *)(void *)(d + i) = *(const word *)(const void *)(s + i);
	for (; i < size; i++)
		d[i] = s[i];
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	uint8_t *d = to;
	word pattern = (uint8_t)byte * (~(word)0 / 0xff);
	size_t i, words = words_of((uintptr_t)to, size);

	for (i = 0; i < words; i += sizeof(word))
		*(word *)(void *)(d + i) = pattern;
	for (; i < size; i++)
		d[i] = (uint8_t)byte;
	return to;
}

int memcmp(const void *left, const void *right, size_t size)
{
	const uint8_t *l = left;
	const uint8_t *r = right;

	for (; size--; l++, r++)
		if (*l != *r)
			return *l - *r;
	return 0;
}

size_t strlen(const char *string)
{
	const char *end = string;

	while (*end)
		end++;
	return (size_t)(end - string);
}
