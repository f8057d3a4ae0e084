/* SPDX-License-Identifier: Apache-2.0 */
/* An unmodified guest on this board: what its machine is. */
/* LINK: hyp/run/guest_unmodified.c hyp/mem/guest_ram.c hyp/mem/stage2.c hyp/cpu/errata.c */
/* LINK: hyp/base/record.c */
#include <string.h>

#include "boards/board.h"
#include "hyp/arch/guest.h"
#include "hyp/base/console.h"
#include "hyp/dev/virtio_slots.h"
#include "hyp/dev/vpl011.h"
#include "hyp/run/guest.h"
#include "hyp/trap/hypercall.h"
#include "hyp/trap/trap.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vm.h"
#include "lib/bits.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

static const struct run_config trapped = { .stage2 = STAGE2_2M, .irq = IRQ_TRAPPED };
static const struct run_config direct = { .stage2 = STAGE2_2M, .irq = IRQ_DIRECT };
static const struct run_config native = { .stage2 = STAGE2_OFF, .irq = IRQ_DIRECT };

static struct plan_guest plan;
static const struct plan_vm plan_vm = { .ram_mib = 4 };
static struct vm_machine machine;
static struct vm *const vm = &vms[1]; /* not the first */
static struct {
	ipa_t ipa;
	pa_t pa;
	uint64_t size;
	enum stage2_memory memory;
} maps[16];
static unsigned map_count, map_limit;
static pa_t window;
static struct vm *added_to;
static struct page_pool pool;
static bool uart_started, uart_input;
static struct vpl011 *the_uart;

bool vm_map(struct vm *of, ipa_t ipa, pa_t pa, uint64_t size, enum stage2_memory memory)
{
	assert_ptr_equal(of, added_to);
	if (map_count == map_limit)
		return false;
	maps[map_count].ipa = ipa;
	maps[map_count].pa = pa;
	maps[map_count].size = size;
	maps[map_count++].memory = memory;
	return true;
}

void vm_add_region(struct vm *of, struct mmio_region region)
{
	assert_string_equal(region.name, "UART");
	of->region[of->region_count++] = region;
}

void cpu_boot_registers(struct vcpu *vcpu, uintptr_t dtb)
{
	vcpu->frame.x[0] = dtb;
}

uintptr_t console_base(void)
{
	return 0xfe201000;
}

bool console_is_pl011(void)
{
	return true;
}

void console_guest_had_it(void)
{
	fake_hyp.line_open = true;
}

void vpl011_start(struct vpl011 *uart, struct vm *of, bool input)
{
	the_uart = uart;
	assert_ptr_equal(of, vm);
	uart_started = true;
	uart_input = input;
}

void virtio_slots_add(struct vm *of)
{
	(void)of;
}

void vpl011_unplug(struct vpl011 *uart)
{
	assert_ptr_equal(uart, the_uart);
	uart_started = false;
}

void vpl011_stop(struct vpl011 *uart)
{
	assert_ptr_equal(uart, the_uart);
	uart_started = false;
}

uint64_t vpl011_read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state)
{
	return offset + size;
}

void vpl011_write(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value, void *state)
{
}

trap_handler *const traps_unmodified[1];
hypercall *const hypercalls_unmodified[1];

uint64_t vtimer_offset(uint32_t us)
{
	return us;
}

/* With this many pages for tables. */
static bool add_devices(unsigned pages)
{
	pool = (struct page_pool){ .base = fake_pages(2), .count = pages };
	stage2_reset(&vm->stage2, 1, STAGE2_4K, &pool, fake_pages(1));
	return machine.type->add_devices(vm);
}

static void setup(void)
{
	fake_hyp_reset();
	memset(vm, 0, sizeof(*vm));
	memset(maps, 0, sizeof(maps));
	map_count = 0;
	map_limit = ARRAY_SIZE(maps);
	uart_started = false;
	added_to = vm;
	window = FAKE_GUEST_BASE;
	plan = (struct plan_guest){
		.ram = 0x40000000,
		.entry = 0x40200000,
		.dtb = 0x40300000,
		.load_count = 1,
		.load = { { 0, 0x40200000, 0x1000 } },
	};
}

static void describe(const struct run_config *config)
{
	guest_unmodified(&machine, &plan, &plan_vm, window, config->stage2 != STAGE2_OFF);
	vm->machine = &machine;
	vm->config = config;
}

EACH_TEST(setup, NULL);

TEST(each_vm_has_a_uart_of_its_own)
{
	struct vm *other = &vms[0];

	describe(&trapped);
	assert_true(add_devices(2));
	*other = *vm;
	other->region_count = 0;
	stage2_reset(&other->stage2, 2, STAGE2_4K, &pool, fake_pages(1));
	pool.used = 0;
	added_to = other;
	assert_true(machine.type->add_devices(other));
	assert_ptr_not_equal(other->region[0].state, vm->region[0].state);
}

TEST(natively_everything_lies_where_it_is)
{
	plan.ram = FAKE_GUEST_BASE + 0xc00000;
	describe(&native);
	assert_int_equal(machine.ram.pa, plan.ram);
	assert_int_equal(machine.gic.dist, board.gic.dist);
}

TEST(its_machine_looks_like_virt)
{
	window = board.guest_base + 0x400000;
	describe(&trapped);
	assert_ptr_equal(machine.type, &vm_type_unmodified);
	assert_int_equal(machine.ram.base, 0x40000000);
	assert_int_equal(machine.ram.pa, window);
	assert_int_equal(machine.ram.size, 4u << 20);
	assert_int_equal(machine.gic.dist, 0x08000000);
	assert_int_equal(machine.gic.cpu, 0x08010000);
	assert_int_equal(machine.gic.redist, 0);
	assert_int_equal(machine.entry, 0x40200000);
}

TEST(what_is_loaded_outside_of_ram_is_mapped_for_reading)
{
	plan.load_count = 3;
	plan.load[1] = (struct plan_load){ 0x1000, 0x03fff000, 0x1801 };
	plan.load[2] = (struct plan_load){ 0x3000, 0x10000000, 1 };
	describe(&trapped);
	assert_true(add_devices(2));
	assert_int_equal(map_count, 2);
	assert_int_equal(maps[0].ipa, 0x03fff000);
	assert_int_equal(maps[0].pa, FAKE_STORE_BASE + 0x1000);
	assert_int_equal(maps[0].size, 0x2000);
	assert_int_equal(maps[0].memory, STAGE2_CODE);
	assert_int_equal(maps[1].ipa, 0x10000000);
	assert_int_equal(maps[1].size, 0x1000);
}

TEST(the_rest_of_the_flash_reads_as_erased)
{
	struct pagetable_leaf leaf;

	describe(&trapped);
	assert_true(add_devices(2));
	for (ipa_t ipa = 0; ipa < 0x08000000; ipa += PAGE_SIZE) {
		assert_true(pagetable_walk(&vm->stage2.table, ipa, &leaf));
		assert_int_equal(leaf.attributes & (S2_AP_RW | PTE_XN), S2_AP_RO | PTE_XN);
	}
	assert_false(pagetable_walk(&vm->stage2.table, 0x08000000, &leaf));
}

TEST(tables_that_are_used_up_are_told)
{
	plan.load[0].ipa = 0;
	describe(&trapped);
	map_limit = 0;
	assert_false(add_devices(2));
	map_limit = 1;
	assert_false(add_devices(1));
}

TEST(direct_has_the_real_uart)
{
	describe(&direct);
	assert_true(add_devices(2));
	assert_int_equal(maps[0].ipa, 0x09000000);
	assert_int_equal(maps[0].pa, 0xfe201000);
	assert_int_equal(maps[0].memory, STAGE2_DEVICE);
	assert_int_equal(vm->region_count, 0);
	machine.type->stopped(vm);
	assert_true(fake_hyp.line_open);
	vm->region_count = 0;
	describe(&trapped);
	assert_true(add_devices(2));
	assert_int_equal(vm->region_count, 1);
	assert_int_equal(vm->region[0].base, 0x09000000);
}

TEST(a_start_copies_the_images)
{
	uint8_t *ram = fake_pages(4096);
	uint8_t *store = fake_store();

	plan.load[0] = (struct plan_load){ 0x1000, 0x40200004, 0x1001 };
	memset(store, 0x11, FAKE_STORE_SIZE);
	memset(store + 0x1000, 0x22, 0x1001);
	describe(&trapped);
	for (unsigned times = 0; times < 2; times++) {
		vm->progress = (struct vm_progress){ 0 };
		while (machine.type->reset(vm))
			;
		assert_int_equal(vm->cntvoff, 0);
		assert_int_equal(ram[0x200003], 0);
		assert_int_equal(ram[0x200004], 0x22);
		assert_int_equal(ram[0x201004], 0x22);
		assert_int_equal(ram[0x201005], 0);
		ram[0x200004] = 0x33;
	}
	assert_true(uart_started);
	assert_true(uart_input);
	machine.type->stopped(vm);
	assert_false(uart_started);
}

TEST(it_is_told_its_device_tree)
{
	static struct vcpu vcpu;

	describe(&trapped);
	vcpu.vm = vm;
	machine.type->set_registers(&vcpu);
	assert_int_equal(vcpu.frame.x[0], 0x40300000);
}
