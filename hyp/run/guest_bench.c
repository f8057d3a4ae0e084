/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bench guest: embedded in the image, with the GIC at the board's addresses. The measured guest
 * has IPA = PA, so that stage 2 can be off; a load is the same guest in another window of RAM.
 */
#include "hyp/run/guest.h"

#include "arch/cache.h"
#include "arch/counter.h"
#include "boards/board.h"
#include "hyp/base/image.h"
#include "hyp/dev/doorbell.h"
#include "hyp/dev/null_device.h"
#include "hyp/dev/virtio_net.h"
#include "hyp/trap/hypercall.h"
#include "hyp/trap/trap.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vm.h"

static struct null_device null_devices[VM_MAX];

static const struct guest_header *header(void)
{
	return (const struct guest_header *)__guest_image_start;
}

static struct guest_run *run_page(const struct vm *vm)
{
	const struct guest_ram *ram = &vm->machine->ram;

	/* argument: PAGE_SIZE */
	return ram_at(ram, ram->base + GUEST_RUN_OFFSET, sizeof(struct guest_run));
}

static enum vm_build add_devices(struct vm *vm)
{
	vm_add_region(vm, (struct mmio_region){ null_device_base(), NULL_DEVICE_SIZE,
						.read = null_device_read, null_device_write,
						vm->machine->device, "null device" });
	if (vm->machine->net)
		virtio_net_add(vm, vm->machine->net);
	return !vm->machine->doorbell || doorbell_add(vm, vm->machine->doorbell) ? VM_BUILD_DONE
										 : VM_BUILD_FAILED;
}

/* Load a piece of the image, or clean a piece of the memory after it, which the guest clears. */
static bool load_piece(struct vm *vm)
{
	const struct guest_header *h = header();
	const struct guest_ram *ram = &vm->machine->ram;
	ipa_t at = ram->base + GUEST_IMAGE_OFFSET + vm->progress.done;

	if (vm->progress.done < h->image_size)
		guest_load_piece(vm, at, (uintptr_t)h + (uintptr_t)vm->progress.done,
				 h->image_size - vm->progress.done);
	else if (vm->progress.done < h->memory_end - h->load_address)
		guest_clean_piece(vm, at, h->memory_end - h->load_address - vm->progress.done);
	else
		return false;
	return true;
}

/* Load the image and the run page. The rest of the RAM keeps the last guest's values. */
static bool reset(struct vm *vm)
{
	struct guest_run *page = run_page(vm);

	if (load_piece(vm))
		return true;
	null_device_reset(vm->machine->device);
	vm->cntvoff = vtimer_offset(vm->config->cntvoff_us);
	*page = vm->machine->run;
	page->cntvoff = vm->cntvoff;
	dcache_clean_invalidate((uintptr_t)page, sizeof(*page)); /* argument: PAGE_SIZE */
	return false;
}

static void set_registers(struct vcpu *vcpu)
{
	vcpu->frame.x[0] = (reg_t)(vcpu->vm->machine->ram.base + GUEST_RUN_OFFSET);
}

/* Take the stamp. Only one store, the cleaning of one cache line and vcpu_run() come between the
 * stamp and the guest's first instruction. */
static void starting(struct vm *vm)
{
	struct guest_run *page = run_page(vm);

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
	.restarts = guest_unplug,
	.stopped = guest_unplugged,
};

void guest_bench(struct vm_machine *machine, unsigned vm, const struct guest_run *run, pa_t ram_pa,
		 uint64_t ram_size)
{
	*machine = (struct vm_machine){
		.ram = ram_plain(board.guest_base, ram_pa, ram_size),
		.gic = board.gic,
		.type = &vm_type_bench,
		.entry = (uintptr_t)header()->entry,
		.run = *run,
		.device = &null_devices[vm],
	};
	machine->run.ram_size = ram_size;
}

static uint32_t rounds(const struct vm *vm)
{
	return run_page(vm)->rounds;
}

void guest_load(struct vm_machine *machine, unsigned vm, const struct guest_run *run,
		const struct run_config *config, pa_t ram_pa, uint64_t ram_size)
{
	guest_bench(machine, vm, run, ram_pa, ram_size);
	machine->rounds = rounds;
	machine->run.config = *config;
	machine->run.is_load = true;
	machine->run.no_fp = true; /* with fp=static only the measured guest has FP registers */
}
