/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm.h"

#include <string.h>

#include "arch/cache.h"
#include "arch/counter.h"
#include "arch/tlb.h"
#include "boards/board.h"
#include "drivers/timer/timer.h"
#include "hyp/arch/cpu.h"
#include "hyp/busy.h"
#include "hyp/clock.h"
#include "hyp/console.h"
#include "hyp/errata.h"
#include "hyp/exit_stats.h"
#include "hyp/fp.h"
#include "hyp/image.h"
#include "hyp/null_device.h"
#include "hyp/record.h"
#include "hyp/sched.h"
#include "hyp/vdist.h"
#include "hyp/vtimer.h"
#include "lib/bits.h"

#define GICC_SIZE 0x2000u /* bytes: GICC_DIR lies in the second page */
#define HYP_PRIORITY 0u   /* of the hypervisor's own interrupts: before every guest's */

/* Level 2 for 4 GiB, and level 3 for 1 GiB of guest RAM in 4 KiB pages and the devices. */
#define STAGE2_POOL_PAGES (4u + 512u + 4u)

static pte_t stage2_root[PTE_COUNT] __attribute__((aligned(PAGE_SIZE)));
static uint8_t stage2_pages[STAGE2_POOL_PAGES][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static struct page_pool stage2_pool = { .base = stage2_pages[0], .count = STAGE2_POOL_PAGES };
static struct vcpu_space vcpu_space;

struct vm vm_under_test = { .vmid = 1, .vcpu_count = 1, .vcpu = { &vcpu_space.vcpu } };

static const struct guest_header *header(void)
{
	return (const struct guest_header *)__guest_image_start;
}

bool vm_check_image(const char **why)
{
	const struct guest_header *h = header();
	uint64_t embedded = (uintptr_t)__guest_image_end - (uintptr_t)__guest_image_start;
	uint64_t room = board.guest_size - GUEST_IMAGE_OFFSET;

	*why = NULL;
	if (embedded < sizeof(*h) || memcmp(h->magic, GUEST_HEADER_MAGIC, sizeof(h->magic)) != 0)
		*why = "no guest image: its header has another magic word";
	else if (h->load_address != board.guest_base + GUEST_IMAGE_OFFSET)
		*why = "the guest image is linked for another address than this board's guest RAM";
	else if (h->image_size > embedded || h->image_size < sizeof(*h))
		*why = "the guest image is cut: its header says more bytes than there are";
	else if (h->entry - h->load_address >= h->image_size)
		*why = "the guest image's entry lies outside the image";
	else if (h->memory_end < h->load_address + h->image_size ||
		 h->memory_end - h->load_address > room)
		*why = "the guest image does not fit this board's guest RAM";
	return *why == NULL;
}

void vm_fault(struct vm *vm, enum fault_reason reason, uint32_t esr, va_t va, ipa_t ipa)
{
	static const char *const name[] = {
#define X(NAME, text) [FAULT_##NAME] = text,
		FAULT_REASONS(X)
#undef X
	};

	vm->outcome = VM_FAULT;
	record_open(RECORD_FAULT);
	record_string("reason", name[reason]);
	record_hex("class", esr >> 26 & 0x3f);
	record_hex("esr", esr);
	record_hex("pc", sched_is_running(vm->vcpu[0]) ? read_elr_el2() : vm->vcpu[0]->elr);
	record_hex("va", va);
	record_hex("ipa", ipa);
	if (vm->config->sched != SCHED_NULL)
		record_u64("vm", vm->vmid);
	record_close();
}

static void add_region(struct vm *vm, struct mmio_region region)
{
	if (vm->region_count == VM_REGION_MAX)
		panic("too many emulated devices");
	vm->region[vm->region_count++] = region;
}

static void map(struct vm *vm, ipa_t ipa, pa_t pa, uint64_t size, enum stage2_memory memory)
{
	if (!stage2_map(&vm->stage2, ipa, pa, size, memory))
		panic("cannot map guest memory");
}

/* The GIC as this configuration shows it: the two stage-2 entries (or emulated regions) that
 * differ between direct and trapped. */
static void map_gic(struct vm *vm, bool trapped)
{
	const struct gic_bases *gic = &board.gic;
	uintptr_t cpu_pa = gic_guest_cpu_pa(!trapped);

	if (gic->cpu)
		map(vm, gic->cpu, cpu_pa, GICC_SIZE, STAGE2_DEVICE);
	if (trapped) {
		add_region(vm, (struct mmio_region){ gic->dist, VDIST_GICD_SIZE, vdist_gicd_read,
						     vdist_gicd_write });
		if (gic->redist)
			add_region(vm, (struct mmio_region){ gic->redist,
							     VDIST_GICR_SIZE * vm->vcpu_count,
							     vdist_gicr_read, vdist_gicr_write });
	} else {
		map(vm, gic->dist, gic->dist, gic->cpu ? PAGE_SIZE : VDIST_GICD_SIZE,
		    STAGE2_DEVICE);
		if (gic->redist)
			map(vm, gic->redist, gic->redist, VDIST_GICR_SIZE, STAGE2_DEVICE);
	}
}

static void build_stage2(struct vm *vm)
{
	const struct run_config *config = vm->config;
	bool lazy = config->fill == FILL_LAZY;
	uint64_t start = counter_read();

	vm->region_count = 0;
	stage2_lazy_begin(&vm->lazy, NULL, 0, 0, 0);
	if (config->stage2 == STAGE2_OFF)
		return;
	stage2_reset(&vm->stage2, vm->vmid, (enum stage2_grain)config->stage2, &stage2_pool,
		     stage2_root);
	if (!lazy)
		map(vm, board.guest_base, board.guest_base, board.guest_size, STAGE2_NORMAL);
	map_gic(vm, config->irq == IRQ_TRAPPED);
	add_region(vm, (struct mmio_region){ null_device_base(), NULL_DEVICE_SIZE, null_device_read,
					     null_device_write });
	stage2_lazy_begin(&vm->lazy, lazy ? &vm->stage2 : NULL, board.guest_base, board.guest_size,
			  counter_read() - start);
}

static void forward(struct vm *vm, unsigned intid)
{
	if (!vgic_forward(&vm->vcpu[0]->vgic, intid))
		panic("the board's struct forwards an interrupt that no guest can have");
}

/* The GIC as after power-on, whatever the last guest left. */
static void reset_gic(struct vm *vm)
{
	bool trapped = vm->config->irq == IRQ_TRAPPED;
	unsigned lr_count = gic_virt_init();

	gic_cpu_abandon();
	gic_dist_reset();
	gic_cpu_init(trapped);
	vgic_reset(&vm->vcpu[0]->vgic, lr_count, vm->config->lr == LR_HW);
	vdist_reset(vm);
	gic_virt_reset();
	if (!trapped) {
		gic_virt_off();
		return;
	}
	forward(vm, board.virt_timer_intid);
	if (vm->config->cntp == CNTP_OWNED)
		forward(vm, board.phys_timer_intid);
	for (unsigned i = 0; i < board.spi_count; i++)
		forward(vm, board.spi_first + i);
	gic_set_priority(board.maintenance_intid, HYP_PRIORITY);
	gic_set_priority(board.hyp_timer_intid, HYP_PRIORITY);
	gic_enable(board.maintenance_intid);
	gic_enable(board.hyp_timer_intid);
}

/* The image and what the guest is told, written through to memory: the guest begins with its
 * caches off. What else the last guest left in its RAM is not cleared. */
static void load_guest(const struct vm *vm, const struct guest_run *run)
{
	const struct guest_header *h = header();
	uint8_t *image = (uint8_t *)(uintptr_t)h->load_address;
	struct guest_run *page = (struct guest_run *)(board.guest_base + GUEST_RUN_OFFSET);

	memcpy(image, h, (size_t)h->image_size);
	*page = *run;
	page->cntvoff = vm->cntvoff;
	dcache_clean_invalidate((uintptr_t)image, (size_t)(h->memory_end - h->load_address));
	dcache_clean_invalidate((uintptr_t)page, sizeof(*page));
	icache_invalidate_all();
}

/* The last thing before the guest: between this stamp and its first instruction lie one store, the
 * cleaning of one cache line, and what vcpu_run() does. */
static void tell_start(void)
{
	struct guest_run *page = (struct guest_run *)(board.guest_base + GUEST_RUN_OFFSET);

	page->start_ticks = counter_read();
	dcache_clean_invalidate((uintptr_t)&page->start_ticks, sizeof(page->start_ticks));
}

/* Also of translations by registers of which some were the last guest's and some already this one's
 * (Cortex-A72 erratum 1319367): what follows changes none of them before the guest. On this core
 * alone where a broadcast is not to be relied on (Cortex-A15 erratum 798181). */
static void forget_translations(void)
{
	if (errata_tlbi_this_core())
		tlbi_core_guests();
	else
		tlbi_all_guests();
}

uint64_t vm_run(struct vm *vm, const struct run_config *config, const struct guest_run *run,
		uint32_t limit_ms)
{
	struct vcpu *other = NULL;
	uint64_t start;
	uint64_t end;

	vm->config = config;
	vm->outcome = VM_RUNNING;
	vm->smc_count = 0;
	vm->cntvoff = vtimer_offset(config->cntvoff_us);
	vm->vcpu[0]->vm = vm;
	vm->vcpu[0]->index = 0;
	errata_use(config);
	exit_stats_reset(config);
	exit_stats_vm(vm->vmid);
	null_device_reset(&vm->null_device);
	if (config->sched != SCHED_NULL)
		other = busy_prepare(config, vm->cntvoff);
	build_stage2(vm);
	reset_gic(vm);
	load_guest(vm, run);
	cpu_use_vectors(config);
	cpu_reset_guest(vm->vcpu[0], (uintptr_t)header()->entry,
			board.guest_base + GUEST_RUN_OFFSET);
	cpu_guest_on(config);
	fp_start((enum fp_mode)config->fp, vm->vcpu[0]);
	forget_translations();

	start = counter_read();
	sched_start(config, vm->vcpu[0], other, start,
		    start + (uint64_t)clock_hz() * limit_ms / 1000);
	tell_start();
	vcpu_run(vm->vcpu[0]);
	end = counter_read();

	timer_hyp_stop();
	cpu_guest_off();
	if (vm->outcome == VM_RUNNING) /* the busy VM was stopped, and the step is worth nothing */
		vm->outcome = VM_FAULT;
	return end - start;
}
