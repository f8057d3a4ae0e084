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

/* Copy if both addresses are word-aligned, or the size is less than a word. */
static inline __attribute__((always_inline)) void copy_aligned(uint8_t *to, const uint8_t *from,
							       size_t size)
{
	/* bound: ARGUMENT_2 / WORD / 2 */
	for (; size >= 2 * sizeof(word); size -= 2 * sizeof(word)) {
		const word *source = (const word *)(const void *)from;
		word *target = (word *)(void *)to, first = source[0], second = source[1];

		target[0] = first;
		target[1] = second;
		to += 2 * sizeof(word);
		from += 2 * sizeof(word);
	}
	if (size >= sizeof(word)) {
		*(word *)(void *)to = *(const word *)(const void *)from;
		to += sizeof(word);
		from += sizeof(word);
	}
	/* bound: WORD - 1 */
	for (size %= sizeof(word); size; size--)
		*to++ = *from++;
}

/* Copy at least one word to an aligned destination from a source that is not aligned: each word of
 * the destination has bytes of two words of the source. Read no word that has no byte of the
 * source. */
static inline void copy_shifted(uint8_t *to, const uint8_t *from, size_t size)
{
	unsigned offset = (unsigned)((uintptr_t)from % sizeof(word));
	const word *next = (const word *)(const void *)(from - offset);
	word low = *next++;

	/* bound: ARGUMENT_2 / WORD */
	for (; size >= sizeof(word); size -= sizeof(word)) {
		word high = *next++;

		*(word *)(void *)to = low >> offset * 8 | high << (sizeof(word) - offset) * 8;
		low = high;
		to += sizeof(word);
		from += sizeof(word);
	}
	/* bound: WORD - 1 */
	for (; size; size--)
		*to++ = *from++;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	uint8_t *d = to;
	const uint8_t *s = from;

	/* bound: WORD - 1 */
	for (; (uintptr_t)d % sizeof(word) && size; size--)
		*d++ = *s++;
	if (size < sizeof(word) || both_aligned(d, s))
		copy_aligned(d, s, size); /* argument: ARGUMENT_2 */
	else
		copy_shifted(d, s, size); /* argument: ARGUMENT_2 */
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	uint8_t *d = to;
	word pattern = (uint8_t)byte * (~(word)0 / 0xff);

	/* bound: WORD - 1 */
	for (; (uintptr_t)d % sizeof(word) && size; size--)
		*d++ = (uint8_t)byte;
	/* bound: ARGUMENT_2 / WORD */
	for (; size >= sizeof(word); size -= sizeof(word), d += sizeof(word))
		*(word *)(void *)d = pattern;
	/* bound: WORD - 1 */
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
