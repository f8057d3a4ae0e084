/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/run/vms.h"

#include <string.h>

#include "boards/board.h"
#include "hyp/cpu/smp_boot.h"
#include "hyp/run/core_loop.h"
#include "hyp/run/guest.h"
#include "hyp/trap/exit_stats.h"
#include "hyp/vm/life.h"
#include "lib/text.h"

#define SPACE_PAGES ((unsigned)(sizeof(struct vcpu_space) + PAGE_SIZE - 1) / PAGE_SIZE)

/* Tables of a stage 2: level 2 for 4 GiB, and level 3 for each 2 MiB in pages of 4 KiB; for the
 * devices 8 more. */
#define DEVICE_TABLES 4u
#define TABLES(mib) ((mib) / 2 + STAGE2_INPUT_GIB + DEVICE_TABLES)
#define RAM_MAX_MIB 1024u

#define PAGES (TABLES(RAM_MAX_MIB) + VM_MAX * (TABLES(0) + VCPU_MAX * SPACE_PAGES))

_Static_assert(PLAN_STATS_VCPUS == EXIT_STATS_MAX, "the host tool checks it");

static uint8_t vm_pages[PAGES][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

/* A window of memory, from the top of which VMs take theirs. */
struct window {
	uint64_t base, size;
};

static struct {
	const struct plan *plan;
	const struct run_config *config;
	uint32_t taking_part; /* bit i: VM i */
	struct vm_machine machine[VM_MAX];
	struct vm_config vm[VM_MAX];
} step;

bool vms_takes_part(unsigned i)
{
	return step.taking_part >> i & 1;
}

static uint64_t take(struct window *window, uint64_t size)
{
	window->size -= size;
	return window->base + window->size;
}

/* Physical SPIs are the measured VM's. */
static void describe(unsigned i, const struct guest_run *run, pa_t ram_pa, uint64_t ram_size)
{
	const struct plan_vm *vm = &step.plan->vm[i];
	struct vm_machine *machine = &step.machine[i];

	if (vm->image == PLAN_IMAGE_BENCH)
		guest_bench(machine, run, ram_size);
	else if (vm->image == PLAN_IMAGE_BACKGROUND)
		guest_background(machine);
	else
		guest_unmodified(machine, &step.plan->guest[vm->guest], vm, ram_pa,
				 step.config->stage2 != STAGE2_OFF);
	machine->shares_console = step.plan->guest_vms > 1;
	if (i != step.plan->measured)
		machine->spi_count = 0;
}

/* The measured VM comes last and has what the others leave. */
static bool place(unsigned i, const struct guest_run *run, struct window *ram,
		  struct window *memory)
{
	const struct plan_vm *vm = &step.plan->vm[i];
	bool measured = i == step.plan->measured;
	unsigned mib = measured ? (unsigned)(ram->size >> 20) : vm->ram_mib;
	uint64_t size = (uint64_t)mib << 20;
	uint64_t tables = (uint64_t)TABLES(mib) * PAGE_SIZE;
	uint64_t spaces = (uint64_t)vm->cpus * SPACE_PAGES * PAGE_SIZE;

	if (ram->size < (uint64_t)vm->ram_mib << 20 || memory->size < tables + spaces)
		return false;
	step.vm[i] = (struct vm_config){
		.name = vm->name,
		.run = step.config,
		.machine = &step.machine[i],
		.tables = { .base = (uint8_t *)(uintptr_t)take(memory, tables),
			    .count = TABLES(mib) },
		.space = (struct vcpu_space *)(uintptr_t)take(memory, spaces),
		.priority = vm->prio,
		.core = vm->core,
	};
	describe(i, run, take(ram, size), size);
	return true;
}

static bool place_all(const struct guest_run *run)
{
	struct window ram = { board.guest_base, board.guest_size };
	struct window memory = { (uintptr_t)vm_pages, sizeof(vm_pages) };

	EACH_VM(i)
	if (i != step.plan->measured && !place(i, run, &ram, &memory))
		return false;
	return place(step.plan->measured, run, &ram, &memory);
}

const char *vms_place(const struct plan *plan, const struct run_config *config,
		      const struct guest_run *run)
{
	static char said[64];
	unsigned came;
	struct text text;

	step.plan = plan;
	step.config = config;
	step.taking_part = (1u << plan->vm_count) - 1;
	if (config->sched == SCHED_NULL)
		step.taking_part = plan->null_vms;
	if (!place_all(run))
		return "the VMs need more RAM, or more stage-2 tables, than there are";
	came = smp_boot_bring_up(plan->core_count, core_loop_for_ever);
	if (came < plan->core_count) {
		text_init(&text, said, sizeof(said));
		text_format(&text, "the VMs want %ju cores: %ju came", (uintmax_t)plan->core_count,
			    (uintmax_t)came);
		return text.at;
	}
	vms_reset(config, plan->core_count);
	exit_stats_reset(config);
	return NULL;
}

bool vms_create(unsigned i)
{
	if (!vm_create(&vms[i], &step.vm[i]))
		return false;
	for (unsigned n = 0; n < vms[i].vcpu_count; n++)
		exit_stats_attach(vms[i].vcpu[n]);
	return true;
}
