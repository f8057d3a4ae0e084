/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/mmu.h"

#include "abi/null_device.h"
#include "arch/cache.h"
#include "arch/tlb.h"
#include "drivers/gic/gic.h"
#include "guest/guest.h"
#include "guest/guest_arch.h"
#include "lib/bits.h"
#include "lib/pagetable.h"

/* Level 1, three of level 2, and level 3 for image, devices and 256 MiB of working memory. */
#define TABLE_PAGES 160u
#define WORKING_MEMORY_ALIGNMENT 0x200000u

/* Frames of the GIC: IHI 0048B 4.1.2, IHI 0069 12.10. */
#define GICV2_DIST_SIZE 0x1000u
#define GICV2_CPU_SIZE 0x2000u
#define GICV3_DIST_SIZE 0x10000u
#define GICV3_REDIST_SIZE 0x20000u

#define ATTR_NORMAL (S1_ATTR(MAIR_NORMAL_INDEX) | PTE_SH_INNER | PTE_AF)
#define ATTR_DEVICE (S1_ATTR(MAIR_DEVICE_INDEX) | PTE_AF)
#define ATTR_XN (PTE_XN | S1_PXN)

/* From linker/guest.ld.S */
extern char __image_start[], __text_end[], __el0_text_end[], __rodata_end[], __el0_data_start[];
extern char __el0_data_end[], __memory_end[];

/* Not in bss: the pool clears what it hands out, so nothing else has to. */
__attribute__((section(".noinit"),
	       aligned(PAGE_SIZE))) static uint8_t tables[TABLE_PAGES][PAGE_SIZE];
__attribute__((aligned(PAGE_SIZE))) static pte_t root[PTE_COUNT];
static struct page_pool pool;
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

/* The sections in the order of linker/guest.ld.S. */
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

/* What was written with the caches off is in memory; stale lines that the hypervisor's caches may
 * hold of it, clean since it cleaned them, must not come back. */
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
	guest_arch_mmu_on((uintptr_t)root);
}

void mmu_map_memory(uint64_t start, uint64_t size)
{
	map(start, size, ATTR_NORMAL | S1_AP_RW_PRIV | ATTR_XN);
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
	return align_up((uintptr_t)__memory_end, WORKING_MEMORY_ALIGNMENT);
}
