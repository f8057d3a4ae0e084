/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/run/vms.h"

#include <string.h>

#include "boards/board.h"
#include "hyp/cpu/smp_boot.h"
#include "hyp/run/core_loop.h"
#include "hyp/run/guest.h"
#include "hyp/trap/exit_stats.h"
#include "hyp/vm/life.h"
#include "lib/bits.h"
#include "lib/plan.h"
#include "lib/text.h"

#define SPACE_PAGES ((unsigned)(sizeof(struct vcpu_space) + PAGE_SIZE - 1) / PAGE_SIZE)

/* Tables of a stage 2: level 2 for 4 GiB, and level 3 for each 2 MiB in pages of 4 KiB; for the
 * devices 8 more. */
#define DEVICE_TABLES 4u
#define TABLES(mib) ((mib) / 2 + STAGE2_INPUT_GIB + DEVICE_TABLES)
#define RAM_MAX_MIB 1024u

#define PAGES (TABLES(RAM_MAX_MIB) + VM_MAX * (TABLES(0) + VCPU_MAX * SPACE_PAGES))

static uint8_t vm_pages[PAGES][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

/* A window of memory, from which VMs take theirs. */
struct window {
	uint64_t base, size;
};

static struct {
	const struct plan *plan;
	const struct run_config *config;
	const struct guest_run *run;
	unsigned measured;
	uint32_t taking_part; /* bit i: plan->vm[i], vms[i] */
	struct vm_machine machine[VM_MAX];
	struct plan_guest guest[VM_MAX];
	struct vm_config vm[VM_MAX];
} step;

/* --- who takes part --- */

static bool has_core(const struct plan_vm *vm, uint32_t core)
{
	for (uint32_t n = 0; n < vm->cpus; n++)
		if (vm->core[n] == core)
			return true;
	return false;
}

/* Where a core runs one vCPU a background VM stays off a core of another VM's. */
static bool takes_part(const struct plan *plan, unsigned i)
{
	const struct plan_vm *vm = &plan->vm[i];

	if (step.config->sched != SCHED_NULL || vm->image != PLAN_IMAGE_BACKGROUND)
		return true;
	for (unsigned other = 0; other < plan->vm_count; other++)
		if (other != i && has_core(&plan->vm[other], vm->core[0]))
			return false;
	return true;
}

#define EACH_VM(i)                                                                                 \
	for (unsigned i = 0; i < VM_MAX; i++)                                                      \
		if (step.taking_part >> i & 1)

static unsigned core_count(void)
{
	unsigned count = 1;

	EACH_VM(i)
	for (unsigned n = 0; n < step.plan->vm[i].cpus; n++)
		if (step.plan->vm[i].core[n] >= count)
			count = step.plan->vm[i].core[n] + 1;
	return count;
}

static unsigned vcpu_count(void)
{
	unsigned count = 0;

	EACH_VM(i)
	count += step.plan->vm[i].cpus;
	return count;
}

/* --- memory --- */

/* From the top; what is left is the measured VM's. */
static uint64_t take(struct window *window, uint64_t size)
{
	window->size -= size;
	return window->base + window->size;
}

static uint64_t ram_size(const struct plan_vm *vm)
{
	return (uint64_t)vm->ram_mib << 20;
}

static void set_pages(struct vm_config *vm, uint64_t at, unsigned cpus, uint64_t tables)
{
	uint64_t spaces = (uint64_t)cpus * SPACE_PAGES * PAGE_SIZE;

	vm->space = (struct vcpu_space *)(uintptr_t)at;
	vm->tables = (struct page_pool){ .base = (uint8_t *)(uintptr_t)(at + spaces),
					 .count = (unsigned)tables };
}

static bool describe(unsigned i, const struct window *ram, const char **why)
{
	const struct plan_vm *vm = &step.plan->vm[i];
	struct vm_machine *machine = &step.machine[i];
	struct guest_run run;

	switch (vm->image) {
	case PLAN_IMAGE_BENCH:
		run = *step.run;
		run.ram_size = ram->size;
		guest_bench(machine, &run);
		return true;
	case PLAN_IMAGE_BACKGROUND:
		guest_background(machine);
		return true;
	default:
		step.guest[i] = plan_guest_of(step.plan, vm);
		return guest_unmodified(machine, &step.guest[i], ram->base, step.config, why);
	}
}

static const char too_much[] = "the VMs need more RAM, or more stage-2 tables, than there are";

static bool place(unsigned i, struct window *ram, struct window *memory, const char **why)
{
	const struct plan_vm *vm = &step.plan->vm[i];
	uint64_t tables = TABLES(vm->ram_mib);
	uint64_t bytes = (tables + (uint64_t)vm->cpus * SPACE_PAGES) * PAGE_SIZE;
	struct window own;

	if (ram->size < ram_size(vm) || memory->size < bytes) {
		*why = too_much;
		return false;
	}
	own = (struct window){ take(ram, ram_size(vm)), ram_size(vm) };
	set_pages(&step.vm[i], take(memory, bytes), vm->cpus, tables);
	return describe(i, &own, why);
}

/* The measured VM has what the others leave; alone, it is as big as this board allows. */
static bool place_measured(const struct window *ram, const struct window *memory, const char **why)
{
	const struct plan_vm *vm = &step.plan->vm[step.measured];
	uint64_t tables = memory->size / PAGE_SIZE;

	if (ram->size != board.guest_size && ram->size < ram_size(vm)) {
		*why = too_much;
		return false;
	}
	if (tables > TABLES(RAM_MAX_MIB))
		tables = TABLES(RAM_MAX_MIB);
	set_pages(&step.vm[step.measured], (uintptr_t)vm_pages, vm->cpus, tables);
	return describe(step.measured, ram, why);
}

static bool place_all(const char **why)
{
	uint64_t spaces = (uint64_t)step.plan->vm[step.measured].cpus * SPACE_PAGES * PAGE_SIZE;
	struct window ram = { board.guest_base, board.guest_size };
	struct window memory = { (uintptr_t)vm_pages + spaces, sizeof(vm_pages) - spaces };

	EACH_VM(i)
	if (i != step.measured && !place(i, &ram, &memory, why))
		return false;
	return place_measured(&ram, &memory, why);
}

/* --- create --- */

static bool cores_come(const char **why)
{
	static char said[64];
	unsigned count = core_count(), came;
	struct text text;

	came = count > 1 ? smp_boot_bring_up(count, core_loop_for_ever) : 1;
	if (came >= count)
		return true;
	text_init(&text, said, sizeof(said));
	text_string(&text, "the VMs want ");
	text_u64(&text, count);
	text_string(&text, " cores: ");
	text_u64(&text, came);
	text_string(&text, " came");
	*why = text.at;
	return false;
}

bool vms_create(unsigned i)
{
	const struct plan_vm *vm = &step.plan->vm[i];
	struct vm_config *config = &step.vm[i];

	config->name = vm->name;
	config->run = step.config;
	config->machine = &step.machine[i];
	config->priority = vm->prio;
	config->core = vm->core;
	if (!vm_create(&vms[i], config))
		return false;
	for (unsigned n = 0; n < vms[i].vcpu_count; n++)
		exit_stats_attach(vms[i].vcpu[n]);
	return true;
}

static bool has_several_consoles(void)
{
	unsigned count = 0;

	EACH_VM(i)
	count += step.plan->vm[i].image == PLAN_IMAGE_GUEST;
	return count > 1;
}

/* Physical SPIs are the measured VM's. */
static void share_machines(void)
{
	bool shares = has_several_consoles();

	EACH_VM(i)
	{
		step.machine[i].shares_console = shares;
		if (i != step.measured)
			step.machine[i].spi_count = 0;
	}
}

bool vms_place(const struct plan *plan, const struct run_config *config,
	       const struct guest_run *run, const char **why)
{
	bool counts = config->stats || config->trace;

	*why = NULL;
	memset(&step, 0, sizeof(step));
	step.plan = plan;
	step.config = config;
	step.run = run;
	step.measured = (unsigned)(plan_measured(plan) - plan->vm);
	for (unsigned i = 0; i < plan->vm_count; i++)
		step.taking_part |= (uint32_t)takes_part(plan, i) << i;
	if (counts && vcpu_count() > EXIT_STATS_MAX)
		*why = "stats and trace are for fewer vCPUs";
	if (*why || !place_all(why) || !cores_come(why))
		return false;
	share_machines();
	vms_reset(config, core_count());
	exit_stats_reset(config);
	return true;
}

uint32_t vms_taking_part(void)
{
	return step.taking_part;
}
