/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/cpu/mmu.h"

#include "arch/barrier.h"
#include "arch/tlb.h"
#include "boards/board.h"
#include "hyp/arch/cpu.h"
#include "hyp/base/console.h"
#include "hyp/base/image.h"
#include "hyp/cpu/percpu.h"
#include "lib/bits.h"
#include "lib/pagetable.h"

#define INPUT_GIB 4u
#define DEVICE_WINDOW                                                                              \
	0x20000u /* bytes mapped for a GIC part: a GICv3 redistributor is the largest */

/* EL2 has no separate AP[1] and privileged execute-never bits (DDI 0487 D8.4.1). */
#define NORMAL (S1_ATTR(MAIR_NORMAL_INDEX) | PTE_SH_INNER | PTE_AF | S1_AP_RW_ALL)
#define TEXT (S1_ATTR(MAIR_NORMAL_INDEX) | PTE_SH_INNER | PTE_AF | S1_AP_RO_ALL)
#define RODATA (TEXT | PTE_XN)
#define DATA (NORMAL | PTE_XN)
#define DEVICE (S1_ATTR(MAIR_DEVICE_INDEX) | PTE_AF | S1_AP_RW_ALL | PTE_XN)

#define TABLE_PAGES 16u /* tables of a core, without its root */

/* Each core has its own tables, which differ only in the PERCPU variables. */
static pte_t root[CORE_MAX][PTE_COUNT] __attribute__((aligned(PAGE_SIZE)));
static uint8_t pool_pages[CORE_MAX][TABLE_PAGES][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static struct page_pool pool;

/* The tables are not in use yet, so no TLB holds an entry. */
static void invalidate(struct pagetable *table, uint64_t address, bool subtree)
{
}

static struct pagetable table = {
	.root_entries = INPUT_GIB,
	.block_level = 2,
	.pool = &pool,
	.invalidate = invalidate,
};

static void map_at(uintptr_t start, uintptr_t pa, uint64_t size, pte_t attributes)
{
	if (!pagetable_map(&table, start, pa, size, attributes))
		panic("cannot map our own address space");
}

static void map(uintptr_t start, uint64_t size, pte_t attributes)
{
	map_at(start, start, size, attributes);
}

static void map_device(uintptr_t base)
{
	if (base)
		map((uintptr_t)align_down(base, PAGE_SIZE), DEVICE_WINDOW, DEVICE);
}

static void map_redistributors(void)
{
	for (unsigned core = 0; board.gic.redist && (core == 0 || core < board.cores.count); core++)
		map_device(board.gic.redist + core * DEVICE_WINDOW);
}

static void map_image_part(const uint8_t *start, const uint8_t *end, pte_t attributes)
{
	map((uintptr_t)start, (uintptr_t)end - (uintptr_t)start, attributes);
}

static void map_data(unsigned core)
{
	map_image_part(__data_start, __percore_start, DATA);
	map_at((uintptr_t)__percore_start, (uintptr_t)percpu_base(core), percpu_size(), DATA);
	map_image_part(__percore_end, __data_end, DATA);
}

void mmu_prepare(unsigned core)
{
	pool = (struct page_pool){ .base = pool_pages[core][0], .count = TABLE_PAGES };
	table.root = root[core];
	map_image_part(__text_start, __text_end, TEXT);
	map_image_part(__rodata_start, __rodata_end, RODATA);
	map_data(core);
	map(board.guest_base, board.guest_size, DATA);
	if (board.store_size)
		map(board.store_base, board.store_size, RODATA);
	map((uintptr_t)align_down(console_base(), PAGE_SIZE), PAGE_SIZE, DEVICE);
	if (board.reset_device.size)
		map(board.reset_device.base, board.reset_device.size, DEVICE);
	map_redistributors();
	map_device(board.gic.vcpu);
	map_device(board.gic.hyp);
	map_device(board.gic.cpu);
	map_device(board.gic.dist);
	dsb_ish();
}

void mmu_enable(unsigned core)
{
	cpu_enable_mmu(root[core]);
}
