/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/dev/null_device.h"

#include <string.h>

#include "arch/cache.h"
#include "lib/compiler.h"

static uint8_t page[NULL_DEVICE_SIZE] __attribute__((aligned(NULL_DEVICE_SIZE)));

uintptr_t null_device_base(void)
{
	return (uintptr_t)page;
}

void null_device_reset(struct null_device *device)
{
	*device = (struct null_device){ 0 };
	memset(page, 0, sizeof(page));
	dcache_clean_invalidate((uintptr_t)page, sizeof(page)); /* argument: PAGE_SIZE */
}

static uint32_t word_at(const struct null_device *device, uint32_t offset)
{
	return offset <= NULL_DEVICE_SUM ? device->word[offset / 4] : 0;
}

static reg_t read_bytes(const struct null_device *device, uint32_t offset)
{
	uint32_t first = offset & ~3u;
	uint64_t value = (uint64_t)word_at(device, first + 4) << 32 | word_at(device, first);

	return (reg_t)(value >> 8 * (offset - first));
}

/* Return whether the access is the usual one, to a whole register: the fast path. */
static bool is_whole(uint32_t offset, unsigned size)
{
	return size == 4 && !(offset & 3);
}

reg_t null_device_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state)
{
	const struct null_device *device = state;

	return is_whole(offset, size) ? word_at(device, offset) : read_bytes(device, offset);
}

/* Write the bytes of a register that `mask` covers; `value` is 0 outside the mask. */
static void write_word(struct null_device *device, uint32_t offset, uint32_t value, uint32_t mask)
{
	if (offset == NULL_DEVICE_SCRATCH) {
		device->word[0] = (device->word[0] & ~mask) | value;
	} else if (offset == NULL_DEVICE_DATA) {
		device->word[NULL_DEVICE_SUM / 4] += value;
		device->word[NULL_DEVICE_COUNT / 4]++;
	}
}

static __cold void write_bytes(struct null_device *device, uint32_t offset, unsigned size,
			       uint64_t value)
{
	uint32_t first = offset & ~3u;
	unsigned shift = 8 * (offset - first);
	uint64_t mask = (~0ull >> (64 - 8 * size)) << shift;

	value = value << shift & mask;
	write_word(device, first, (uint32_t)value, (uint32_t)mask);
	if (mask >> 32)
		write_word(device, first + 4, (uint32_t)(value >> 32), (uint32_t)(mask >> 32));
}

void null_device_write(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value, void *state)
{
	struct null_device *device = state;

	if (__builtin_expect(is_whole(offset, size), true))
		write_word(device, offset, (uint32_t)value, ~0u);
	else
		write_bytes(device, offset, size, value);
}
