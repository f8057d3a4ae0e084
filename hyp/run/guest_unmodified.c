/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unmodified guest: the plan lists its images, and the board's store holds them. Its machine
 * looks like QEMU's virt (abi/virt.h), with its RAM in the board's guest RAM. With stage 2 off the
 * guest has the board's own hardware, at the board's addresses.
 */
#include "hyp/run/guest.h"

#include <string.h>

#include "abi/virt.h"
#include "arch/cache.h"
#include "boards/board.h"
#include "hyp/arch/guest.h"
#include "hyp/base/console.h"
#include "hyp/dev/virtio_net.h"
#include "hyp/dev/virtio_slots.h"
#include "hyp/dev/vpl011.h"
#include "hyp/trap/hypercall.h"
#include "hyp/trap/trap.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vm.h"
#include "hyp/vm/vm_build.h"
#include "lib/bits.h"

static struct vpl011 uarts[VM_MAX];

static uintptr_t store_at(const struct plan_load *load)
{
	return board.store_base + load->store;
}

/* With irq=direct the guest has the board's GIC, and also the board's UART if that is a PL011. */
static bool has_real_uart(const struct run_config *config)
{
	return config->stage2 == STAGE2_OFF || (config->irq == IRQ_DIRECT && console_is_pl011());
}

static struct vpl011 *uart_of(const struct vm *vm)
{
	return &uarts[vm - vms];
}

static bool add_uart(struct vm *vm)
{
	if (has_real_uart(vm->config))
		return vm_map(vm, VIRT_UART, console_base(), VIRT_UART_SIZE, STAGE2_DEVICE);
	vm_add_region(vm, (struct mmio_region){ VIRT_UART, VIRT_UART_SIZE, .read = vpl011_read,
						vpl011_write, uart_of(vm), "UART" });
	return true;
}

/* Return the size of one block, or of some pages before the next block. */
static uint64_t mapped_at_once(const struct vm *vm, ipa_t ipa, pa_t pa, uint64_t left)
{
	uint64_t block = LPAE_SIZE(2), size = block - ipa % block;

	if (vm->stage2.table.block_level <= 2 && !((ipa | pa) % block) && left >= block)
		return block;
	if (size > VM_PIECE_LEAVES * PAGE_SIZE)
		size = VM_PIECE_LEAVES * PAGE_SIZE;
	return left < size ? left : size;
}

/* Map a piece of a load outside of RAM, as in flash, which is read-only for the guest. */
static bool map_load_piece(struct vm *vm, const struct plan_load *load)
{
	struct vm_progress *progress = &vm->progress;
	uint64_t left = align_up(load->size, PAGE_SIZE) - progress->done;
	ipa_t at = load->ipa + progress->done;
	pa_t from = store_at(load) + progress->done;
	uint64_t size = mapped_at_once(vm, at, from, left);
	bool in_ram = ram_holds(&vm->machine->ram, load->ipa, 1);

	if (!in_ram && !vm_map(vm, at, from, size, STAGE2_CODE))
		return false;
	progress->done = in_ram || size == left ? 0 : progress->done + size;
	progress->image += progress->done == 0;
	return true;
}

static const uint8_t erased_flash[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE))) = {
	[0 ... PAGE_SIZE - 1] = 0xff,
};

static bool add_emulated(struct vm *vm)
{
	if (!add_uart(vm))
		return false;
	if (vm->machine->net)
		virtio_net_add(vm, vm->machine->net);
	virtio_slots_add(vm);
	return true;
}

/* Map erased flash where no load lies. */
static enum vm_build fill_flash_piece(struct vm *vm)
{
	struct vm_progress *progress = &vm->progress;

	if (!progress->filler) {
		progress->filler = stage2_filler(&vm->stage2, (uintptr_t)erased_flash);
		return progress->filler ? VM_BUILD_MORE : VM_BUILD_FAILED;
	}
	if (!stage2_fill(&vm->stage2, VIRT_FLASH + progress->done, LPAE_SIZE(2), progress->filler))
		return VM_BUILD_FAILED;
	progress->done += LPAE_SIZE(2);
	return progress->done < VIRT_FLASH_BANKS * VIRT_FLASH_BANK_SIZE ? VM_BUILD_MORE
									: VM_BUILD_DONE;
}

/*
 * Add the devices that EL2 emulates: the first piece of the build. The loads and the flash follow.
 */
static enum vm_build add_devices(struct vm *vm)
{
	const struct plan_guest *plan = vm->machine->plan;
	uint32_t n = vm->progress.image;

	if (n > plan->load_count)
		return fill_flash_piece(vm);
	if (n > 0)
		return map_load_piece(vm, &plan->load[n - 1]) ? VM_BUILD_MORE : VM_BUILD_FAILED;
	vm->progress.image++;
	return add_emulated(vm) ? VM_BUILD_MORE : VM_BUILD_FAILED;
}

/* Copy a load into RAM. A load outside of RAM stays in the store. */
static void load_piece(struct vm *vm, const struct plan_load *load)
{
	uint64_t done = vm->progress.done, left = load->size - done;
	uintptr_t from = store_at(load) + (uintptr_t)done;

	if (ram_holds(&vm->machine->ram, load->ipa, load->size))
		guest_load_piece(vm, load->ipa + done, from, left);
	else
		/* argument: VM_PIECE_BYTES */
		dcache_clean_invalidate(from, guest_piece(vm, left));
}

static bool load_images(struct vm *vm)
{
	const struct plan_guest *plan = vm->machine->plan;
	struct vm_progress *progress = &vm->progress;

	if (progress->image == plan->load_count)
		return false;
	load_piece(vm, &plan->load[progress->image]);
	if (progress->done == plan->load[progress->image].size)
		*progress = (struct vm_progress){ .image = progress->image + 1 };
	return true;
}

/* Reset the machine to its state at power-on, except for the counter, which continues. Without an
 * offset no CVAL plus CNTVOFF exceeds 2^64, which QEMU's timers cannot handle. */
static bool reset(struct vm *vm)
{
	if (load_images(vm))
		return true;
	if (!has_real_uart(vm->config))
		vpl011_start(uart_of(vm), vm, vm->config->irq == IRQ_TRAPPED);
	vm->cntvoff = vtimer_offset(vm->config->cntvoff_us);
	return false;
}

static void set_registers(struct vcpu *vcpu)
{
	cpu_boot_registers(vcpu, vcpu->vm->machine->plan->dtb);
}

static bool restarts(struct vm *vm)
{
	if (guest_unplug(vm))
		return true;
	if (!has_real_uart(vm->config))
		return !vpl011_unplug(uart_of(vm), vm->dismissed);
	console_guest_had_it();
	return false;
}

/* Set the real UART up again: the guest may have left it in any state. */
static void stopped(struct vm *vm)
{
	guest_unplugged(vm);
	if (!has_real_uart(vm->config)) {
		vpl011_stop(uart_of(vm));
		return;
	}
	console_guest_had_it();
}

const struct vm_type vm_type_unmodified = {
	.traps = traps_unmodified,
	.hypercalls = hypercalls_unmodified,
	.injects = true,
	.ends_itself = true,
	.traps_dir = true,
	.add_devices = add_devices,
	.reset = reset,
	.set_registers = set_registers,
	.starting = guest_nothing,
	.restarts = restarts,
	.stopped = stopped,
};

void guest_unmodified(struct vm_machine *machine, const struct plan_guest *plan,
		      const struct plan_vm *vm, pa_t ram_pa, bool stage2)
{
	*machine = (struct vm_machine){
		.ram = ram_plain(plan->ram, stage2 ? ram_pa : plan->ram,
				 (uint64_t)vm->ram_mib << 20),
		.gic = board.gic,
		.type = &vm_type_unmodified,
		.entry = plan->entry,
		.plan = plan,
	};
	if (stage2)
		machine->gic = (struct gic_bases){
			.dist = VIRT_GICD,
			.cpu = board.gic.cpu ? VIRT_GICC : 0,
			.redist = board.gic.redist ? VIRT_GICR : 0,
		};
}
