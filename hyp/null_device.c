/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/null_device.h"

#include "lib/pagetable.h"

enum { SCRATCH, DATA, COUNT, SUM, REGISTER_COUNT };

static uint32_t memory[PAGE_SIZE / sizeof(uint32_t)] __attribute__((aligned(PAGE_SIZE)));
static uint32_t reg[REGISTER_COUNT];

ipa_t null_device_base(void)
{
	return (uintptr_t)memory;
}

void null_device_reset(void)
{
	for (unsigned i = 0; i < REGISTER_COUNT; i++)
		reg[i] = 0;
}

/* Whole registers only. */
static bool is_register(uint32_t offset, unsigned size)
{
	return size == 4 && offset % 4 == 0 && offset / 4 < REGISTER_COUNT;
}

uint64_t null_device_read(struct vcpu *vcpu, uint32_t offset, unsigned size)
{
	(void)vcpu;
	return is_register(offset, size) ? reg[offset / 4] : 0;
}

void null_device_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value)
{
	(void)vcpu;
	if (!is_register(offset, size))
		return;
	if (offset / 4 == SCRATCH) {
		reg[SCRATCH] = (uint32_t)value;
	} else if (offset / 4 == DATA) {
		reg[COUNT]++;
		reg[SUM] += (uint32_t)value;
	}
}
