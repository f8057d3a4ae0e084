/* SPDX-License-Identifier: Apache-2.0 */
/* Registers, barriers, devices and calls of the fake machine; fake_tlb.c is its TLB. */
#include "tests/unit/fake/fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "arch/cache.h"
#include "arch/errata.h"
#include "arch/mmio.h"
#include "arch/semihosting.h"
#include "arch/sysreg_gicv3.h"
#include "tests/unit/fake/fake_tlb.h"

#undef SYSREG
#undef SYSREG_READ
#undef SYSREG_WRITE
#define SYSREG(name) reg_t fake_##name;
#define SYSREG_READ(name) SYSREG(name)
#define SYSREG_WRITE(name) SYSREG(name)
#include "generated/el1_regs.inc"
#include "generated/newer_regs.inc"
#include "generated/sysreg.inc"
#include "generated/sysreg_gicv3.inc"

#undef SYSREG
#define SYSREG(name) &fake_##name,
static reg_t *const registers[] = {
#include "generated/el1_regs.inc"
#include "generated/newer_regs.inc"
#include "generated/sysreg.inc"
#include "generated/sysreg_gicv3.inc"
#include "tests/unit/fake/function.h"
};

struct fake_barriers fake_barriers;
struct fake_mmio fake_mmio;
struct fake_sysregs fake_sysregs;
struct fake_counts fake_counts;
bool fake_built_for_cortex_a53;
void (*fake_set_way)(uint32_t level_set_way);
void (*fake_by_address)(uintptr_t start, size_t size);
void (*fake_semihosting)(unsigned code);
uint64_t fake_counter_step = 1;

static uint8_t *pages; /* the PAGES pages that fake_pages() hands out */
static size_t pages_used;

#define PAGES_ADDRESS 0x20000000u
#define PAGES 4096u
#define FAKE_PAGE_SIZE 4096u

void fake_reset(void)
{
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		*registers[i] = 0;
	fake_barriers = (struct fake_barriers){ 0 };
	fake_mmio = (struct fake_mmio){ 0 };
	fake_sysregs = (struct fake_sysregs){ 0 };
	fake_counts = (struct fake_counts){ 0 };
	fake_set_way = NULL;
	fake_by_address = NULL;
	fake_semihosting = NULL;
	fake_counter_step = 1;
	fake_tlb_reset();
	pages_used = 0;
}

void *fake_pages(size_t count)
{
	void *result;

	if (!pages)
		pages = mmap((void *)(uintptr_t)PAGES_ADDRESS, PAGES * (size_t)FAKE_PAGE_SIZE,
			     PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_in_range(count, 1, PAGES - pages_used);
	result = pages + pages_used * FAKE_PAGE_SIZE;
	pages_used += count;
	return memset(result, 0, count * FAKE_PAGE_SIZE);
}

reg_t fake_sysreg_read(reg_t *variable)
{
	reg_t value;

	if (fake_sysregs.read && fake_sysregs.read(variable, &value))
		return value;
	if (variable == &fake_cntpct_el0)
		fake_cntpct_el0 += fake_counter_step;
	return *variable;
}

void fake_sysreg_write(reg_t *variable, reg_t value)
{
	fake_counts.sysreg_writes++;
	if (!fake_sysregs.write || !fake_sysregs.write(variable, value))
		*variable = value;
}

void isb(void)
{
	fake_barriers.isb++;
	fake_tlb_vttbr(fake_vttbr_el2);
}

#define DSB(name)                                                                                  \
	void name(void)                                                                            \
	{                                                                                          \
		fake_barriers.name++;                                                              \
		fake_tlb_observe();                                                                \
	}
DSB(dsb_sy)
DSB(dsb_ish)
DSB(dsb_ishst)
DSB(dsb_nsh)

#define COUNTED(name)                                                                              \
	void name(void)                                                                            \
	{                                                                                          \
		fake_barriers.name++;                                                              \
	}
COUNTED(wfi)
COUNTED(wfe)
COUNTED(sev)

uint64_t fake_mmio_read(uintptr_t address, unsigned size)
{
	if (!fake_mmio.read || address % size)
		fail_msg("unexpected read of %u bytes at %#lx", size, (unsigned long)address);
	return fake_mmio.read(address, size);
}

void fake_mmio_write(uintptr_t address, unsigned size, uint64_t value)
{
	if (!fake_mmio.write || address % size)
		fail_msg("unexpected write of %u bytes at %#lx", size, (unsigned long)address);
	fake_mmio.write(address, size, value);
}

void dcache_clean_invalidate(uintptr_t start, size_t size)
{
	if (fake_by_address)
		fake_by_address(start, size);
	dsb_sy();
}

void icache_invalidate_all(void)
{
	fake_counts.icache_all++;
	dsb_ish();
	isb();
}

void icache_invalidate_core(void)
{
	fake_counts.icache_core++;
	dsb_nsh();
	isb();
}

void dcache_clean_invalidate_line(uint32_t level_set_way)
{
	if (!fake_set_way)
		fail_msg("unexpected cache maintenance of %#x", level_set_way);
	fake_set_way(level_set_way);
}

void semihosting_exit(unsigned code)
{
	if (fake_semihosting)
		fake_semihosting(code);
}
