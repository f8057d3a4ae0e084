/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the life cycle of a VM: which core does what, in which order, and what is left of the VM
 * at the end. */
/* LINK: hyp/vm/vm_begin.c */
/* LINK: hyp/vm/life.c hyp/vm/vm_build.c hyp/mem/guest_ram.c */
/* LINK: hyp/mem/stage2.c hyp/mem/stage2_lazy.c */
/* LINK: hyp/cpu/errata.c hyp/base/record.c */
#include <stdlib.h>
#include <string.h>

#include "hyp/arch/guest.h"
#include "hyp/base/record.h"
#include "hyp/cpu/smp.h"
#include "hyp/vm/guest_record.h"
#include "hyp/vm/life.h"
#include "hyp/vm/vm_build.h"
#include "hyp/vm/vm_core.h"
#include "hyp/vm/vm_gic.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/fake/function.h"
#include "tests/unit/unit.h"

#define VCPUS 2u
#define PAGES 40u
#define MIB 0x100000u
#define LIMIT 7000
#define ENTRY 0x40200000

static struct vm *const vm = &vms[2];
static struct run_config run;
static struct vm_machine machine;
static struct vm_type type;
static struct vcpu_space *space;
static const uint32_t cores[VCPU_MAX] = { 3, 1 };
static struct vm_config config;
static char events[512]; /* one word per event */
static uint32_t asked;

static void note(const char *event)
{
	strcat(strcat(events, *events ? " " : ""), event);
}

static void assert_events(const char *expected)
{
	assert_string_equal(events, expected);
	*events = '\0';
	asked = 0;
}

/* --- stand-ins for the parts around life.c --- */

void smp_call(unsigned core, void (*fn)(void *argument), void *argument)
{
	const struct vcpu *vcpu = argument;

	note((char[]){ (char)('0' + core), '\0' });
	if (fn != vm_core_reset)
		assert_int_equal(core, vcpu->core);
	fn(argument);
}

void smp_ask(unsigned core)
{
	asked |= 1u << core;
}

void vm_core_reset(void *of)
{
	assert_ptr_equal(of, &run);
	note("core");
}

void vm_core_attach(void *vcpu)
{
	((struct vcpu *)vcpu)->power = VCPU_OFF;
	note("attach");
}

FAKE_VOID_FUNC(cpu_guest_el2, (struct vcpu * vcpu, const struct run_config *of))

void vm_core_detach(void *vcpu)
{
	assert_int_not_equal(vm->outcome, VM_RUNNING); /* its core starts no vCPU meanwhile */
	note("detach");
}

void gic_cpu_abandon(void)
{
	note("abandon");
}

void gic_dist_reset(void)
{
	note("dist");
}

FAKE_VALUE_FUNC(bool, gic_splits_ends, (void), true)

void guest_record_forget(const struct vm *of)
{
	assert_ptr_equal(of, vm);
	assert_false(record_try_lock());
	note("forget");
}

bool vm_gic_add(struct vm *of)
{
	assert_ptr_equal(of, vm);
	note("gic");
	return true;
}

void vm_gic_release(const struct vm *of)
{
	assert_ptr_equal(of, vm);
	note("release");
}

/* A zeroed virtual GIC is not at rest: list register 0 would belong to every interrupt. */
void vgic_reset(struct vgic *vgic, unsigned lr_count, bool link_hw)
{
	assert_int_equal(lr_count, 0);
	assert_false(link_hw);
	vgic->virq[0].forward_lr = VIRQ_LR_NONE;
}

void vgicd_init(struct vgicd *dist, struct vcpu *const vcpu[], unsigned count)
{
	assert_ptr_equal(dist, &vm->dist);
	assert_ptr_equal(vcpu, vm->vcpu);
	assert_int_equal(count, vm->vcpu_count);
}

void vgicd_reset(struct vgicd *dist)
{
	assert_ptr_equal(dist, &vm->dist);
	note("vgicd");
}

bool vm_map(struct vm *of, ipa_t ipa, pa_t pa, uint64_t size, enum stage2_memory memory)
{
	return stage2_map(&of->stage2, ipa, pa, size, memory);
}

/* --- the type of the VM --- */

static bool devices_fit;

/* Add the devices in two pieces, or fail if they do not fit. */
static enum vm_build add_devices(struct vm *of)
{
	assert_ptr_equal(of, vm);
	note("devices");
	if (!devices_fit)
		return VM_BUILD_FAILED;
	return of->progress.image++ ? VM_BUILD_DONE : VM_BUILD_MORE;
}

static bool reset(struct vm *of)
{
	assert_ptr_equal(of, vm);
	note("reset");
	return false;
}

static void stopped(struct vm *of)
{
	assert_ptr_equal(of, vm);
	note("stopped");
}

static void setup(void)
{
	fake_hyp_reset();
	memset(vms, 0, sizeof(vms));
	free(space);
	space = aligned_alloc(_Alignof(struct vcpu_space), VCPUS * sizeof(*space));
	memset(space, 0xa5, VCPUS * sizeof(*space));
	run = (struct run_config){ .stage2 = STAGE2_4K, .irq = IRQ_TRAPPED };
	type = (struct vm_type){ .add_devices = add_devices, .reset = reset, .stopped = stopped };
	machine = (struct vm_machine){
		.ram = ram_plain(0x40000000, FAKE_GUEST_BASE + 0x200000, 8 * MIB),
		.cpus = VCPUS,
		.entry = ENTRY,
		.type = &type,
	};
	config = (struct vm_config){
		.name = "mine",
		.run = &run,
		.machine = &machine,
		.tables = { .base = fake_pages(PAGES), .count = PAGES },
		.space = space,
		.priority = 9,
		.core = cores,
	};
	devices_fit = true;
	*events = '\0';
	asked = 0;
}

static void create(void)
{
	if (!vm_create(vm, &config))
		fail_msg("%s", fake_hyp.console);
	assert_events("gic devices devices");
}

static void start(void)
{
	vm_start(vm, LIMIT);
	assert_events("forget vgicd reset 3 attach 1 attach");
}

EACH_TEST(setup, NULL);

/* --- create --- */

TEST(each_core_begins_anew)
{
	vms_reset(&run, &run, 3);
	assert_events("abandon dist 0 core 1 core 2 core");
}

TEST(a_vm_is_as_it_is_described)
{
	struct pagetable_leaf leaf;

	create();
	assert_int_equal(vm->outcome, VM_CREATED);
	assert_string_equal(vm->name, "mine");
	assert_int_equal(vm->vmid, 3); /* not another VM's, and not 0 */
	assert_int_equal(vm->vcpu_count, VCPUS);
	for (unsigned n = 0; n < VCPUS; n++) {
		assert_ptr_equal(vm->vcpu[n], &space[n].vcpu);
		assert_ptr_equal(vm->vcpu[n]->vm, vm);
		assert_int_equal(vm->vcpu[n]->index, n);
		assert_int_equal(vm->vcpu[n]->core, cores[n]);
		assert_int_equal(vm->vcpu[n]->priority, 9);
		assert_int_equal(vm->vcpu[n]->turns, 0);
		assert_int_equal(vm->vcpu[n]->vgic.virq[0].forward_lr, VIRQ_LR_NONE);
		assert_int_equal(vm->vcpu[n]->state, VCPU_STATE_OFF);
	}
	for (uint64_t at = 0; at < machine.ram.size; at += 0x1000) {
		assert_true(pagetable_walk(&vm->stage2.table, machine.ram.base + at, &leaf));
		assert_int_equal(leaf.output, machine.ram.pa + at);
	}
	assert_false(pagetable_walk(&vm->stage2.table, machine.ram.base + machine.ram.size, &leaf));
	assert_false(pagetable_walk(&vm->stage2.table, machine.ram.base - 1, &leaf));
	vm_destroy(vm);
}

TEST(filled_lazily_it_has_pages_and_no_ram)
{
	struct pagetable_leaf leaf;

	run.fill = FILL_LAZY;
	create();
	assert_false(pagetable_walk(&vm->stage2.table, machine.ram.base, &leaf));
	assert_true(stage2_lazy_fault(&vm->lazy, machine.ram.base + 0x5010));
	assert_true(pagetable_walk(&vm->stage2.table, machine.ram.base + 0x5000, &leaf));
	assert_int_equal(leaf.output, machine.ram.pa + 0x5000);
}

static void assert_refused(const char *why)
{
	fake_hyp.console_size = 0;
	assert_false(vm_create(vm, &config));
	assert_non_null(strstr(fake_hyp.console, why));
	assert_int_equal(vm->outcome, VM_REFUSED);
	*events = '\0';
	vm_destroy(vm);
	assert_events(""); /* no core has had the VM */
	assert_int_equal(vm->tables.used, 0);
}

TEST(what_needs_more_tables_is_refused)
{
	static const char why[] = "its memory needs more stage-2 tables than there are";

	config.tables.count = 4; /* of the 5 needed: level 2, and level 3 for each 2 MiB */
	assert_refused(why);
	config.tables.count = 5;
	create();
	vm_destroy(vm);
	devices_fit = false;
	assert_refused(why);
	devices_fit = true;
	run.fill = FILL_LAZY;
	config.tables.count = 4;
	assert_refused(why);
	config.tables.count = 5;
	*events = '\0';
	create();
}

TEST(without_stage_2_there_are_no_tables)
{
	run.stage2 = STAGE2_OFF;
	run.irq = IRQ_DIRECT;
	assert_true(vm_create(vm, &config));
	assert_events("");
	vm_destroy(vm);
	assert_int_equal(vm->outcome, VM_ABSENT);
	assert_int_equal(fake_counts.tlbi_guest_vmid, 0);
}

TEST(without_a_gic_none_is_added)
{
	type.no_gic = true;
	assert_true(vm_create(vm, &config));
	assert_events("devices devices");
}

/* --- start, pause, halt, build --- */

TEST(vcpu_0_starts_on_its_core)
{
	create();
	vm_start(vm, LIMIT);
	assert_int_equal(asked, 1u << 3);
	assert_events("forget vgicd reset 3 attach 1 attach");
	assert_int_equal(vm->limit, LIMIT);
	assert_int_equal(vm->vcpus_on, 1);
	assert_int_equal(vm->vcpu[0]->power, VCPU_STARTING);
	assert_int_equal(vm->vcpu[0]->start_entry, ENTRY);
	assert_int_equal(vm->vcpu[0]->start_context, 0);
	assert_int_equal(vm->vcpu[1]->power, VCPU_OFF);
	assert_int_not_equal(fake_counts.icache_all, 0); /* the VM's images are new */
}

TEST(a_start_forgets_the_last_one)
{
	create();
	start();
	vm->booted = vm->entered = vm->paused = true;
	vm->vcpus_on = 2;
	vm->outcome = VM_RESET;
	vm_stop(vm);
	assert_events("3 detach 1 detach release stopped");
	start();
	assert_false(vm->booted || vm->entered || vm->paused);
	assert_int_equal(vm->vcpus_on, 1);
	assert_int_equal(vm->outcome, VM_RUNNING);
}

/* Core 0 waits for no other core. */
TEST(each_core_is_asked_to_pause_and_to_resume)
{
	create();
	start();
	vm_pause(vm);
	assert_int_equal(asked, 1u << 3 | 1u << 1);
	assert_true(vm->paused && vm->outcome == VM_RUNNING);
	assert_events("");
	vm_resume(vm);
	assert_int_equal(asked, 1u << 3 | 1u << 1);
	assert_false(vm->paused);
	assert_events("");
}

TEST(after_the_step_no_vcpu_of_a_vm_that_ran_is_entered)
{
	create();
	start();
	vm_halt(vm);
	assert_int_equal(vm->outcome, VM_CREATED);
	assert_int_equal(asked, 1u << 3 | 1u << 1);
	vm->outcome = VM_FAULT;
	vm_halt(vm);
	assert_int_equal(vm->outcome, VM_FAULT);
	*events = '\0';
	vm_stop(vm);
	assert_events("3 detach 1 detach release stopped");
}

/* No piece maps more than VM_PIECE_LEAVES pages of RAM. */
TEST(stage_2_is_built_in_pieces)
{
	struct pagetable_leaf leaf;
	unsigned pieces = 0;

	create();
	vm_build_begin(vm);
	assert_false(vm->built);
	for (; vm->progress.mapped < machine.ram.size; pieces++) {
		ipa_t end = machine.ram.base + vm->progress.mapped + VM_PIECE_LEAVES * PAGE_SIZE;

		assert_int_equal(vm_build_piece(vm), VM_BUILD_MORE);
		assert_false(pagetable_walk(&vm->stage2.table, end, &leaf));
	}
	assert_int_equal(pieces, 8 * MIB / PAGE_SIZE / VM_PIECE_LEAVES);
	assert_int_equal(vm_build_piece(vm), VM_BUILD_MORE);
	assert_false(vm->built);
	assert_int_equal(vm_build_piece(vm), VM_BUILD_DONE);
	assert_true(vm->built);
}

/* --- stop, destroy --- */

TEST(the_outcome_is_the_guests)
{
	create();
	for (enum vm_outcome outcome = VM_RUNNING; outcome <= VM_FAULT; outcome++) {
		start();
		vm->outcome = outcome;
		vm_stop(vm);
		assert_int_equal(vm->outcome, outcome == VM_RUNNING ? VM_CREATED : outcome);
		assert_events("3 detach 1 detach release stopped");
		vm_stop(vm);
		assert_events("");
	}
}

/* A VM is created and destroyed many times, with the same tables. */
TEST(nothing_is_left_of_what_is_destroyed)
{
	struct pagetable_leaf leaf;

	for (unsigned i = 0; i < 20; i++) {
		unsigned flushed = fake_counts.tlbi_guest_vmid;

		create();
		fake_tlb_watch(vm->stage2_root, STAGE2_INPUT_GIB);
		assert_true(vm->tables.used > 0);
		if (i % 2)
			start();
		*events = '\0';
		vm_destroy(vm);
		assert_events(i % 2 ? "3 detach 1 detach release stopped" : "");
		assert_int_equal(vm->outcome, VM_ABSENT);
		assert_int_equal(vm->tables.used, 0);
		assert_false(pagetable_walk(&vm->stage2.table, machine.ram.base, &leaf));
		assert_true(fake_counts.tlbi_guest_vmid > flushed);
	}
}
