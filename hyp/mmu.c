/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/mmu.h"

#include "arch/barrier.h"
#include "arch/tlb.h"
#include "boards/board.h"
#include "hyp/arch/cpu.h"
#include "hyp/console.h"
#include "hyp/image.h"
#include "lib/bits.h"
#include "lib/pagetable.h"

#define INPUT_GIB 4u
#define DEVICE_WINDOW                                                                              \
	0x20000u /* bytes mapped for a GIC part: a GICv3 redistributor is the largest */

/* At EL2, AP[1] and the privileged execute-never bit do not exist apart (DDI 0487 D8.4.1). */
#define NORMAL (S1_ATTR(MAIR_NORMAL_INDEX) | PTE_SH_INNER | PTE_AF | S1_AP_RW_ALL)
#define TEXT (S1_ATTR(MAIR_NORMAL_INDEX) | PTE_SH_INNER | PTE_AF | S1_AP_RO_ALL)
#define RODATA (TEXT | PTE_XN)
#define DATA (NORMAL | PTE_XN)
#define DEVICE (S1_ATTR(MAIR_DEVICE_INDEX) | PTE_AF | S1_AP_RW_ALL | PTE_XN)

static pte_t root[PTE_COUNT] __attribute__((aligned(PAGE_SIZE)));
static uint8_t pool_pages[16][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static struct page_pool pool = { .base = pool_pages[0], .count = ARRAY_SIZE(pool_pages) };

/* Translation is still off: nothing holds the old entry. */
static void invalidate(struct pagetable *table, uint64_t address, bool subtree)
{
	(void)subtree;
	(void)table;
	(void)address;
}

static struct pagetable table = {
	.root = root,
	.root_entries = INPUT_GIB,
	.block_level = 2,
	.pool = &pool,
	.invalidate = invalidate,
};

static void map(uintptr_t start, uint64_t size, pte_t attributes)
{
	if (!pagetable_map(&table, start, start, size, attributes))
		panic("cannot map our own address space");
}

static void map_device(uintptr_t base)
{
	if (base)
		map((uintptr_t)align_down(base, PAGE_SIZE), DEVICE_WINDOW, DEVICE);
}

static void map_image_part(const uint8_t *start, const uint8_t *end, pte_t attributes)
{
	if (end > start)
		map((uintptr_t)start, (uintptr_t)end - (uintptr_t)start, attributes);
}

void mmu_init(void)
{
	map_image_part(__text_start, __text_end, TEXT);
	map_image_part(__rodata_start, __rodata_end, RODATA);
	map_image_part(__data_start, __data_end, DATA);
	map(board.guest_base, board.guest_size, DATA);
	if (board.store_size)
		map(board.store_base, board.store_size, RODATA);
	map((uintptr_t)align_down(console_base(), PAGE_SIZE), PAGE_SIZE, DEVICE);
	if (board.reset_device.size)
		map(board.reset_device.base, board.reset_device.size, DEVICE);
	map_device(board.gic.redist);
	map_device(board.gic.vcpu);
	map_device(board.gic.hyp);
	map_device(board.gic.cpu);
	map_device(board.gic.dist);
	dsb_ish();
	cpu_enable_mmu(root);
}
