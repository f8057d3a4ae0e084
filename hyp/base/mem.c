/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of <string.h> that the hypervisor and its compiler call. A libc's versions use the
 * vector registers, which hold the guest's values. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uintptr_t word __attribute__((may_alias));

static int both_aligned(const void *a, const void *b)
{
	return (((uintptr_t)a | (uintptr_t)b) & (sizeof(word) - 1)) == 0;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	uint8_t *d = to;
	const uint8_t *s = from;

	if (both_aligned(to, from))
		/* bound: ARGUMENT_2 / WORD */
		for (; size >= sizeof(word); size -= sizeof(word)) {
			*(word *)(void *)d = *(const word *)(const void *)s;
			d += sizeof(word);
			s += sizeof(word);
		}
	/* bound: ARGUMENT_2 */
	while (size--)
		*d++ = *s++;
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	uint8_t *d = to;
	word pattern = (uint8_t)byte * (~(word)0 / 0xff);

	if (both_aligned(to, to))
		/* bound: ARGUMENT_2 / WORD */
		for (; size >= sizeof(word); size -= sizeof(word), d += sizeof(word))
			*(word *)(void *)d = pattern;
	/* bound: ARGUMENT_2 % WORD: EL2 sets whole, aligned structures */
	while (size--)
		*d++ = (uint8_t)byte;
	return to;
}

int memcmp(const void *left, const void *right, size_t size)
{
	const uint8_t *l = left;
	const uint8_t *r = right;

	/* bound: ARGUMENT_2 */
	for (; size--; l++, r++)
		if (*l != *r)
			return *l - *r;
	return 0;
}

size_t strlen(const char *string)
{
	const char *end = string;

	/* bound: ARGUMENT_0: of a string of so many bytes */
	while (*end)
		end++;
	return (size_t)(end - string);
}
