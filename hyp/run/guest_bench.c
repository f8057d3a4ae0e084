/* SPDX-License-Identifier: Apache-2.0 */
/* The bench guest: embedded in the image, IPA = PA, and the GIC at the board's addresses, so that
 * stage 2 can be off. */
#include "hyp/run/guest.h"

#include <string.h>

#include "arch/cache.h"
#include "arch/counter.h"
#include "boards/board.h"
#include "hyp/base/image.h"
#include "hyp/dev/null_device.h"
#include "hyp/trap/hypercall.h"
#include "hyp/trap/trap.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vm.h"

static struct null_device null_device;

static const struct guest_header *header(void)
{
	return (const struct guest_header *)__guest_image_start;
}

bool guest_bench_check(const char **why)
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

static struct guest_run *run_page(void)
{
	return (struct guest_run *)(board.guest_base + GUEST_RUN_OFFSET);
}

static bool add_devices(struct vm *vm)
{
	vm_add_region(vm,
		      (struct mmio_region){ null_device_base(), NULL_DEVICE_SIZE, null_device_read,
					    null_device_write, &null_device, "null device" });
	return true;
}

/* Loads the image and the run page. The rest of the RAM keeps the last guest's values. */
static void reset(struct vm *vm)
{
	const struct guest_header *h = header();
	uint8_t *image = (uint8_t *)(uintptr_t)h->load_address;

	null_device_reset(&null_device);
	memcpy(image, h, (size_t)h->image_size);
	vm->cntvoff = vtimer_offset(vm->config->cntvoff_us);
	*run_page() = vm->machine->run;
	run_page()->cntvoff = vm->cntvoff;
	dcache_clean_invalidate((uintptr_t)image, (size_t)(h->memory_end - h->load_address));
	dcache_clean_invalidate((uintptr_t)run_page(), sizeof(struct guest_run));
}

static void set_registers(struct vcpu *vcpu)
{
	vcpu->frame.x[0] = (reg_t)(uintptr_t)run_page();
}

/* One store, the cleaning of one cache line and vcpu_run() come between the stamp and the guest's
 * first instruction. */
static void starting(struct vm *vm)
{
	struct guest_run *page = run_page();

	page->start_ticks = counter_read();
	dcache_clean_invalidate((uintptr_t)&page->start_ticks, sizeof(page->start_ticks));
}

const struct vm_type vm_type_bench = {
	.traps = traps_bench,
	.hypercalls = hypercalls_bench,
	.add_devices = add_devices,
	.reset = reset,
	.set_registers = set_registers,
	.starting = starting,
	.stopped = guest_nothing,
};

void guest_bench(struct vm_machine *machine, const struct guest_run *run, uint64_t ram_size)
{
	*machine = (struct vm_machine){
		.ram = board.guest_base,
		.ram_pa = board.guest_base,
		.ram_size = ram_size,
		.gic = board.gic,
		.cpus = 1,
		.type = &vm_type_bench,
		.spi_first = board.spi_first,
		.spi_count = board.spi_count,
		.entry = (uintptr_t)header()->entry,
		.run = *run,
	};
	machine->run.ram_size = ram_size;
}
