/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that is not our own: the plan says what its images are and where, the board's store has
 * them. Its machine looks like QEMU's virt (abi/virt.h), with its RAM in the board's guest RAM.
 * With stage 2 off it has the board as it is, at the board's own addresses.
 */
#include "hyp/run/guest.h"

#include <string.h>

#include "abi/virt.h"
#include "arch/cache.h"
#include "boards/board.h"
#include "hyp/arch/guest.h"
#include "hyp/base/console.h"
#include "hyp/dev/vpl011.h"
#include "hyp/trap/hypercall.h"
#include "hyp/trap/trap.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vgicd.h"
#include "hyp/vm/vm.h"
#include "hyp/vm/vm_cores.h"
#include "lib/bits.h"
#include "lib/text.h"

static struct vpl011 uart;

static bool in_ram(const struct plan_guest *plan, uint32_t ipa)
{
	return ipa >= plan->ram && ipa - plan->ram < (uint64_t)plan->ram_mib << 20;
}

/* --- what is not possible on this board --- */

struct check {
	const struct plan_guest *plan;
	const struct run_config *config;
	struct text said;
};

static char said_buffer[200];

static struct text *wrong(struct check *check, const char *what)
{
	text_init(&check->said, said_buffer, sizeof(said_buffer));
	text_string(&check->said, what);
	return &check->said;
}

static void text_0x(struct text *text, uint64_t value)
{
	text_string(text, "0x");
	text_hex(text, value, 0);
}

static bool check_ram(struct check *check)
{
	const struct plan_guest *plan = check->plan;
	uint64_t size = (uint64_t)plan->ram_mib << 20;
	struct text *text;

	if (size > board.guest_size) {
		text = wrong(check, "ram_mib=");
		text_u64(text, plan->ram_mib);
		text_string(text, ": this board has ");
		text_u64(text, board.guest_size >> 20);
		text_string(text, " MiB for a guest");
		return false;
	}
	if (check->config->stage2 != STAGE2_OFF)
		return true;
	if (plan->ram >= board.guest_base &&
	    plan->ram - board.guest_base + size <= board.guest_size)
		return true;
	text = wrong(check, "stage2=off: the guest's RAM is not in this board's, ");
	text_u64(text, board.guest_size >> 20);
	text_string(text, " MiB at ");
	text_0x(text, board.guest_base);
	return false;
}

static bool check_cpus(struct check *check)
{
	const char *why;

	if (vm_cores_have(check->plan->cpus, check->config, &why))
		return true;
	wrong(check, why);
	return false;
}

static bool overlaps(const struct plan_load *load, uint64_t base, uint64_t size)
{
	return load->ipa < base + size && base < (uint64_t)load->ipa + load->size;
}

static bool check_load(struct check *check, const struct plan_load *load)
{
	struct text *text;

	if (load->store + (uint64_t)load->size <= board.store_size)
		return true;
	text = wrong(check, "a load ends at ");
	text_0x(text, load->store + (uint64_t)load->size);
	text_string(text, " of the store, which has ");
	text_0x(text, board.store_size);
	text_string(text, board.store_size ? " bytes" : " bytes on this board");
	return false;
}

/* Without stage 2 nothing can be put anywhere else than it is. */
static bool check_outside_ram(struct check *check, const struct plan_load *load)
{
	if (check->config->stage2 == STAGE2_OFF && load->ipa != board.store_base + load->store) {
		wrong(check, "stage2=off: a load outside of RAM stays where the store has it");
		return false;
	}
	return true;
}

#define FLASH_SIZE ((uint64_t)VIRT_FLASH_BANKS * VIRT_FLASH_BANK_SIZE)

struct device {
	const char *name;
	uint64_t base, size;
};

/* The flash comes last: loads may lie there. */
static bool check_devices(struct check *check, const struct plan_load *loads, unsigned count,
			  bool with_flash)
{
	uint64_t cpus = check->plan->cpus;
	const struct device devices[] = {
		{ "distributor", VIRT_GICD, VGICD_SIZE },
		{ "CPU interface", VIRT_GICC, 0x10000 },
		{ "redistributors", VIRT_GICR, VGICR_SIZE * cpus },
		{ "UART", VIRT_UART, VIRT_UART_SIZE },
		{ "flash", VIRT_FLASH, FLASH_SIZE },
	};
	unsigned device_count = ARRAY_SIZE(devices) - (with_flash ? 0 : 1);

	for (unsigned i = 0; i < count; i++)
		for (unsigned d = 0; d < device_count; d++)
			if (overlaps(&loads[i], devices[d].base, devices[d].size)) {
				text_string(wrong(check, "a load, or the RAM, lies on the "),
					    devices[d].name);
				return false;
			}
	return true;
}

static bool check_map(struct check *check)
{
	const struct plan_guest *plan = check->plan;
	const struct plan_load ram = { .ipa = plan->ram, .size = (uint32_t)(plan->ram_mib << 20) };

	return check->config->stage2 == STAGE2_OFF ||
	       (check_devices(check, &ram, 1, true) &&
		check_devices(check, plan->load, plan->load_count, false));
}

static bool check_loads(struct check *check)
{
	const struct plan_guest *plan = check->plan;

	for (uint32_t i = 0; i < plan->load_count; i++)
		if (!check_load(check, &plan->load[i]) ||
		    (!in_ram(plan, plan->load[i].ipa) && !check_outside_ram(check, &plan->load[i])))
			return false;
	return true;
}

/* --- the machine --- */

static uintptr_t store_at(const struct plan_load *load)
{
	return board.store_base + load->store;
}

/* The board's own where the GIC is the guest's, too, if it is one that the guest knows. */
static bool has_real_uart(const struct run_config *config)
{
	return config->stage2 == STAGE2_OFF || (config->irq == IRQ_DIRECT && console_is_pl011());
}

static bool add_uart(struct vm *vm)
{
	if (has_real_uart(vm->config))
		return vm_map(vm, VIRT_UART, console_base(), VIRT_UART_SIZE, STAGE2_DEVICE);
	vm_add_region(vm, "UART",
		      (struct mmio_region){ VIRT_UART, VIRT_UART_SIZE, vpl011_read, vpl011_write,
					    &uart });
	return true;
}

/* Flash, and what else the plan loads outside of RAM: for reading, from now on. */
static bool map_load(struct vm *vm, const struct plan_load *load)
{
	return in_ram(vm->machine->plan, load->ipa) ||
	       vm_map(vm, load->ipa, store_at(load), align_up(load->size, PAGE_SIZE), STAGE2_CODE);
}

static const uint8_t erased_flash[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE))) = {
	[0 ... PAGE_SIZE - 1] = 0xff,
};

static bool add_devices(struct vm *vm)
{
	const struct plan_guest *plan = vm->machine->plan;

	if (!add_uart(vm))
		return false;
	for (uint32_t i = 0; i < plan->load_count; i++)
		if (!map_load(vm, &plan->load[i]))
			return false;
	return stage2_fill(&vm->stage2, VIRT_FLASH, FLASH_SIZE, (uintptr_t)erased_flash);
}

static void load_images(const struct vm *vm)
{
	const struct vm_machine *machine = vm->machine;
	const struct plan_guest *plan = machine->plan;

	for (uint32_t i = 0; i < plan->load_count; i++) {
		const struct plan_load *load = &plan->load[i];
		uintptr_t to = (uintptr_t)(machine->ram_pa + (load->ipa - machine->ram));

		if (!in_ram(plan, load->ipa)) {
			dcache_clean_invalidate(store_at(load), load->size);
			continue;
		}
		memcpy((void *)to, (const void *)store_at(load), load->size);
		dcache_clean_invalidate(to, load->size);
	}
}

/* The guest finds a machine that was just switched on, each time it starts. */
static void reset(struct vm *vm)
{
	uint32_t us = vm->config->cntvoff_us;

	load_images(vm);
	if (!has_real_uart(vm->config))
		vpl011_start(&uart, vm, vm->config->irq == IRQ_TRAPPED);
	vm->cntvoff = vtimer_offset(us ? us : VTIMER_FROM_0);
}

static void set_registers(struct vcpu *vcpu)
{
	cpu_boot_registers(vcpu, vcpu->vm->machine->plan->dtb);
}

static void starting(void)
{
}

/* Whatever a guest left of the UART, records can be sent. */
static void stopped(struct vm *vm)
{
	if (!has_real_uart(vm->config)) {
		vpl011_stop();
		return;
	}
	console_guest_had_it();
}

const struct vm_type vm_type_unmodified = {
	.traps = traps_unmodified,
	.hypercalls = hypercalls_unmodified,
	.injects = true,
	.ends_itself = true,
	.numbered = true,
	.add_devices = add_devices,
	.reset = reset,
	.set_registers = set_registers,
	.starting = starting,
	.stopped = stopped,
};

static void describe(struct vm_machine *machine, const struct plan_guest *plan, bool stage2)
{
	*machine = (struct vm_machine){
		.ram = plan->ram,
		.ram_pa = stage2 ? board.guest_base : plan->ram,
		.ram_size = (uint64_t)plan->ram_mib << 20,
		.gic = board.gic,
		.cpus = plan->cpus,
		.type = &vm_type_unmodified,
		.spi_first = board.spi_first,
		.spi_count = board.spi_count,
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

bool guest_unmodified(struct vm_machine *machine, const struct plan_guest *plan,
		      const struct run_config *config, const char **why)
{
	struct check check = { .plan = plan, .config = config };

	if (!check_ram(&check) || !check_cpus(&check) || !check_loads(&check) ||
	    !check_map(&check)) {
		*why = check.said.at;
		return false;
	}
	describe(machine, plan, config->stage2 != STAGE2_OFF);
	return true;
}
