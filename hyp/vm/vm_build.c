/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm_build.h"

#include "arch/counter.h"
#include "hyp/vm/vm_gic.h"

/* fill=lazy: return whether the pool has pages for all tables that guest RAM can need. This check
 * before the guest starts guarantees that no fault of the guest finds the pool empty. */
static bool lazy_has_tables(const struct vm *vm)
{
	const struct vm_machine *machine = vm->machine;
	ipa_t first = machine->ram.base;
	ipa_t last = machine->ram.base + machine->ram.size - 1;
	uint64_t tables = (last >> LPAE_SHIFT(2)) - (first >> LPAE_SHIFT(2)) + 1 +
			  (last >> LPAE_SHIFT(1)) - (first >> LPAE_SHIFT(1)) + 1;

	return tables <= vm->tables.count - vm->tables.used;
}

static bool is_lazy(const struct vm *vm)
{
	return vm->config->fill == FILL_LAZY && vm->machine->ram.size;
}

/* A VM without RAM has only a page or two. */
static enum stage2_grain vm_grain(const struct vm *vm)
{
	return vm->machine->ram.size ? (enum stage2_grain)vm->config->stage2 : STAGE2_4K;
}

void vm_unmap_all(struct vm *vm)
{
	vm->built = false;
	if (vm_has_stage2(vm))
		stage2_reset(&vm->stage2, vm->vmid, vm_grain(vm), &vm->tables, vm->stage2_root);
}

void vm_build_begin(struct vm *vm)
{
	uint64_t start = counter_read();

	vm_unmap_all(vm);
	vm->region_count = 0;
	vm->progress = (struct vm_progress){ .ticks = counter_read() - start };
}

static bool map_some_ram(struct vm *vm, uint64_t size)
{
	const struct guest_ram *ram = &vm->machine->ram;
	struct ram_span span = { .ipa = ram->base + vm->progress.mapped, .left = (size_t)size };

	while (ram_next(ram, &span))
		if (!vm_map(vm, span.ipa, (uintptr_t)span.at, span.size, STAGE2_NORMAL))
			return false;
	vm->progress.mapped += size;
	return true;
}

static enum vm_build add_devices(struct vm *vm)
{
	enum vm_build result;

	if (vm->progress.image == 0 && !vm->type->no_gic && !vm_gic_add(vm))
		return VM_BUILD_FAILED;
	result = vm->type->add_devices(vm);
	return result == VM_BUILD_DONE && is_lazy(vm) && !lazy_has_tables(vm) ? VM_BUILD_FAILED
									      : result;
}

/* Do a piece with at most `most` bytes of RAM. */
static enum vm_build do_piece(struct vm *vm, uint64_t most)
{
	uint64_t left = is_lazy(vm) ? 0 : vm->machine->ram.size - vm->progress.mapped;

	if (left)
		return map_some_ram(vm, left < most ? left : most) ? VM_BUILD_MORE
								   : VM_BUILD_FAILED;
	return add_devices(vm);
}

static enum vm_build build_some(struct vm *vm, uint64_t most)
{
	uint64_t start = counter_read();
	enum vm_build result = vm_has_stage2(vm) ? do_piece(vm, most) : VM_BUILD_DONE;

	vm->progress.ticks += counter_read() - start;
	if (result != VM_BUILD_DONE)
		return result;
	if (vm_has_stage2(vm))
		stage2_lazy_begin(&vm->lazy, is_lazy(vm) ? &vm->stage2 : NULL, &vm->machine->ram,
				  vm->progress.ticks);
	vm->built = true;
	return result;
}

enum vm_build vm_build_piece(struct vm *vm)
{
	return build_some(vm, VM_PIECE_LEAVES * LPAE_SIZE(vm->stage2.table.block_level));
}

bool vm_build(struct vm *vm)
{
	enum vm_build result;

	vm_build_begin(vm);
	do
		result = build_some(vm, vm->machine->ram.size);
	while (result == VM_BUILD_MORE);
	return result == VM_BUILD_DONE;
}
