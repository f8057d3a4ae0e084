/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/mmu.h"

#include "abi/null_device.h"
#include "arch/cache.h"
#include "arch/tlb.h"
#include "drivers/gic/gic.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/guest_arch.h"
#include "lib/alias_window.h"
#include "lib/bits.h"
#include "lib/pagetable.h"

/*
 * Pages for tables. With 4 KiB leaves, 256 MiB of working memory and its lists take 130 level-3
 * tables in the alias window, and none elsewhere. The other pages serve level 2, the image,
 * devices, and the maps of a hostile guest.
 */
#define TABLE_PAGES 160u

/* Sizes of the GIC's frames: IHI 0048B 4.1.2, IHI 0069 12.10. */
#define GICV2_DIST_SIZE 0x1000u
#define GICV2_CPU_SIZE 0x2000u
#define GICV3_DIST_SIZE 0x10000u
#define GICV3_REDIST_SIZE 0x20000u

#define ATTR_NORMAL (S1_ATTR(MAIR_NORMAL_INDEX) | PTE_SH_INNER | PTE_AF)
#define ATTR_DEVICE (S1_ATTR(MAIR_DEVICE_INDEX) | PTE_AF)
#define ATTR_XN (PTE_XN | S1_PXN)
#define ATTR_WINDOW (ATTR_NORMAL | S1_AP_RW_PRIV | ATTR_XN | S1_NG)

/* Symbols of linker/guest.ld.S. */
extern char __image_start[], __text_end[], __el0_text_end[], __rodata_end[], __el0_data_start[];
extern char __el0_data_end[], __memory_end[];

/* The tables need not lie in bss: the pool clears every table that it hands out. */
__attribute__((section(".noinit"),
	       aligned(PAGE_SIZE))) static uint8_t tables[TABLE_PAGES][PAGE_SIZE];
__attribute__((aligned(PAGE_SIZE))) static pte_t root[PTE_COUNT];
static struct page_pool pool;
static uint64_t working_size;
static struct pagetable stage1;

static void invalidate(struct pagetable *table, uint64_t address, bool subtree)
{
	(void)table;
	if (subtree)
		tlbi_el1_all();
	else
		tlbi_el1_va((va_t)address);
}

static void map(uint64_t start, uint64_t size, pte_t attributes)
{
	if (!pagetable_map(&stage1, start, start, size, attributes))
		guest_refuse("stage 1 cannot map", start);
	dsb_ish();
	isb();
}

static void map_between(const char *start, const char *end, pte_t attributes)
{
	if (end > start)
		map((uintptr_t)start, (uintptr_t)(end - start), ATTR_NORMAL | attributes);
}

/* Map the sections in the order of linker/guest.ld.S. */
static void map_image(void)
{
	map_between(__image_start, __text_end, guest_arch_text_attributes());
	map_between(__text_end, __el0_text_end, S1_AP_RO_ALL | S1_PXN);
	map_between(__el0_text_end, __rodata_end, S1_AP_RO_PRIV | ATTR_XN);
	map_between(__rodata_end, __el0_data_start, S1_AP_RW_PRIV | ATTR_XN);
	map_between(__el0_data_start, __el0_data_end, S1_AP_RW_ALL | ATTR_XN);
	map_between(__el0_data_end, __memory_end, S1_AP_RW_PRIV | ATTR_XN);
}

static void map_device(uint64_t start, uint64_t size)
{
	map(start, size, ATTR_DEVICE | S1_AP_RW_PRIV | ATTR_XN);
}

static void map_gic(const struct guest_run *run)
{
	if (gic_version() == 2) {
		map_device(run->gicd_base, GICV2_DIST_SIZE);
		map_device(run->gicc_base, GICV2_CPU_SIZE);
	} else {
		map_device(run->gicd_base, GICV3_DIST_SIZE);
		map_device(run->gicr_base, GICV3_REDIST_SIZE);
	}
}

/* Invalidate stale cache lines. Memory has the stores made while the caches were off. Stale lines
 * of this memory are clean, since the hypervisor cleaned them, but must not hit. */
static void forget_stale_lines(void)
{
	dcache_clean_invalidate((uintptr_t)__image_start, (size_t)(__memory_end - __image_start));
}

void mmu_init(const struct guest_run *run)
{
	pool = (struct page_pool){ .base = tables[0], .count = TABLE_PAGES };
	stage1 = (struct pagetable){
		.root = root,
		.root_entries = 4,
		.block_level = 3,
		.pool = &pool,
		.invalidate = invalidate,
	};
	mmu_map_memory(run->ram_base, GUEST_IMAGE_OFFSET);
	map_image();
	map_gic(run);
	map_device(run->device_base, NULL_DEVICE_SIZE);
	forget_stale_lines();
	/* gem5 also applies WXN at stage 2, where page tables are writable (ARMv7). */
	guest_arch_mmu_on((uintptr_t)root, !run->gem5);
}

static void use_working(uint64_t start, uint64_t size)
{
	uint64_t end = start + size;

	if (start >= mmu_free_start() && end - mmu_free_start() > working_size)
		working_size = end - mmu_free_start();
}

uint64_t mmu_working_size(void)
{
	return working_size;
}

void mmu_map_memory(uint64_t start, uint64_t size)
{
	use_working(start, size);
	map(start, size, ATTR_NORMAL | S1_AP_RW_PRIV | ATTR_XN);
}

void mmu_map_user(uint64_t start, uint64_t size)
{
	map(start, size, ATTR_NORMAL | S1_AP_RW_ALL | ATTR_XN);
}

void mmu_unmap(uint64_t start, uint64_t size)
{
	if (!pagetable_unmap(&stage1, start, size))
		guest_refuse("stage 1 cannot unmap", start);
}

void mmu_touch_image(void)
{
	for (const volatile char *at = __image_start; at < __memory_end; at += PAGE_SIZE)
		(void)*at;
}

void mmu_map_device(uint64_t start, uint64_t size)
{
	map(start, size, ATTR_DEVICE | S1_AP_RW_PRIV | ATTR_XN);
}

void mmu_map_code(uint64_t start, uint64_t size)
{
	map(start, size, ATTR_NORMAL | guest_arch_text_attributes());
}

uint64_t mmu_free_start(void)
{
	return align_up((uintptr_t)__memory_end, GUEST_WORKING_ALIGNMENT);
}

/* --- the alias window --- */

/* Return the level of a leaf by config.stage1. A leaf maps LPAE_SIZE(level) bytes. */
static unsigned window_level(const struct guest_run *run)
{
	static const unsigned char level[] = {
		[STAGE1_4K] = 3,
		[STAGE1_2M] = 2,
		[STAGE1_1G] = 1,
	};

	return level[run->config.stage1];
}

static struct alias_range device_range(uint64_t base, uint64_t size)
{
	return (struct alias_range){ base, base ? size : 0 };
}

/* The window also avoids the hypervisor's memory, so that a wrong translation faults. */
static bool window_base(const struct guest_run *run, uint64_t *base)
{
	const struct alias_range used[] = {
		{ run->ram_base, run->ram_size },
		device_range(run->gicd_base, GICV3_DIST_SIZE),
		device_range(run->gicc_base, GICV2_CPU_SIZE),
		device_range(run->gicr_base, GICV3_REDIST_SIZE),
		device_range(run->device_base, PAGE_SIZE),
		device_range(run->hyp_device, PAGE_SIZE),
		device_range(run->hyp_base, PAGE_SIZE),
	};

	return alias_window_choose(used, ARRAY_SIZE(used), base);
}

/* Return the physical address of the leaf that holds an address of guest RAM. A test replaces this
 * function to make a translation wrong, so it is not inlined. */
__attribute__((noinline)) uint64_t mmu_leaf_target(uint64_t address, uint64_t leaf_size)
{
	return align_down(address, leaf_size);
}

const char *mmu_window_refuses(const struct guest_run *run, uint64_t size)
{
	const struct alias_range ram = { run->ram_base, run->ram_size };
	const char *why =
		alias_window_refuses(&ram, mmu_free_start() + size, LPAE_SIZE(window_level(run)));
	uint64_t base;

	if (!why && !window_base(run, &base))
		why = "no GiB of addresses is free for an alias of the working memory";
	return why;
}

uintptr_t mmu_map_window(const struct guest_run *run, uint64_t size)
{
	uint64_t leaf_size = LPAE_SIZE(window_level(run));
	uint64_t start = align_down(mmu_free_start(), leaf_size);
	uint64_t end = align_up(mmu_free_start() + size, leaf_size);
	struct pagetable window = stage1;
	uint64_t base;

	window.block_level = window_level(run);
	if (!window_base(run, &base) ||
	    !pagetable_map(&window, base + start - run->ram_base,
			   mmu_leaf_target(mmu_free_start(), leaf_size), end - start, ATTR_WINDOW))
		guest_refuse("the alias window cannot map", start);
	use_working(mmu_free_start(), size);
	dsb_ish();
	isb();
	return (uintptr_t)(base + mmu_free_start() - run->ram_base);
}

void mmu_remap_page(uintptr_t address, uint64_t physical,
		    void (*maintain)(struct pagetable *table, uint64_t at, bool subtree))
{
	struct pagetable window = stage1;

	window.invalidate = maintain;
	if (!pagetable_map(&window, address, physical, PAGE_SIZE, ATTR_WINDOW))
		guest_refuse("stage 1 cannot map", address);
	dsb_ish();
	isb();
}

bool mmu_walk(uintptr_t address, struct pagetable_leaf *leaf)
{
	return pagetable_walk(&stage1, address, leaf);
}
