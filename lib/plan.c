/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EL2 checks what it relies on: bounds, ends of strings, indices of words, the memory of an
 * unmodified guest. The host tool checks which settings make sense together.
 */
#include "lib/plan.h"

#include <string.h>

#include "lib/crc32.h"
#include "lib/options.h"

#define SPACE_END 0x100000000ull /* of the intermediate physical addresses */
#define RAM_GRAIN 0x200000u
#define LOAD_GRAIN 0x1000u

#define X(NAME, word) word,
static const char *const platform_words[] = { PLATFORMS(X) };
static const char *const order_words[] = { PLAN_ORDERS(X) };
#undef X

static bool fail(struct text *why, const char *what)
{
	text_string(why, what);
	return false;
}

static bool check_header(const struct plan_section *section, struct text *why)
{
	const struct plan *plan = &section->plan;

	if (memcmp(section->magic, PLAN_SECTION_MAGIC, sizeof(section->magic)) != 0)
		return fail(why, "the plan section's magic is not " PLAN_SECTION_MAGIC);
	if (!number_check("version", section->version, PLAN_VERSION, PLAN_VERSION, why) ||
	    !number_check("length", section->length, sizeof(*plan), sizeof(*plan), why))
		return false;
	return crc32_update(0, plan, sizeof(*plan)) == section->crc ||
	       fail(why, "wrong CRC-32: the plan is damaged or cut");
}

static bool check_string(struct text *why, const char *what, const char *string, size_t size)
{
	if (string[size - 1] == '\0')
		return true;
	text_string(why, what);
	return fail(why, " has no NUL at its end");
}

static bool check_head(const struct plan *plan, struct text *why)
{
	return check_string(why, "name", plan->name, sizeof(plan->name)) &&
	       check_string(why, "machine", plan->machine, sizeof(plan->machine)) &&
	       number_check("platform", plan->platform, 0, PLATFORM_COUNT - 1, why) &&
	       number_check("order", plan->order, 0, PLAN_ORDER_COUNT - 1, why) &&
	       number_check("config_count", plan->config_count, 1, PLAN_CONFIG_MAX, why) &&
	       number_check("bench_count", plan->bench_count, 0, PLAN_BENCH_MAX, why) &&
	       number_check("guest_count", plan->guest_count, 0, PLAN_GUEST_MAX, why) &&
	       number_check("vm_count", plan->vm_count, 1, PLAN_VM_MAX, why) &&
	       number_check("event_count", plan->event_count, 0, PLAN_EVENT_MAX, why);
}

/* EL2 spins by twos, after two: another number would spin for ever. */
static bool check_delay(const struct run_config *config, struct text *why)
{
	return (config->delay_el2 % 2 == 0 && config->delay_el2 != 2) ||
	       fail(why, "delay_el2 is odd, or 2");
}

static bool check_config(const struct run_config *config, struct text *why)
{
	return check_string(why, "config", config->name, sizeof(config->name)) &&
	       options_check(config_options, config, why) && check_delay(config, why);
}

static bool check_bench(const struct plan_bench *bench, struct text *why)
{
	return check_string(why, "bench", bench->name, sizeof(bench->name)) &&
	       options_check(bench_options, &bench->params, why);
}

static uint64_t ram_end(const struct plan_guest *guest)
{
	return guest->ram + ((uint64_t)guest->ram_mib << 20);
}

/* All of the load in the guest's RAM, or all of it outside, in pages. */
static bool check_load(const struct plan_guest *guest, const struct plan_load *load,
		       struct text *why)
{
	uint64_t end = (uint64_t)load->ipa + load->size;
	bool inside = load->ipa >= guest->ram && end <= ram_end(guest);
	bool outside = end <= guest->ram || load->ipa >= ram_end(guest);

	if (!options_check(load_options, load, why))
		return false;
	if (end > SPACE_END || !(inside || outside))
		return fail(why, "a load reaches out of the guest's RAM, or beyond 4 GiB");
	return (load->store | (inside ? 0 : load->ipa)) % LOAD_GRAIN == 0 ||
	       fail(why, "a load is not at a multiple of 4 KiB");
}

static bool check_guest(const struct plan_guest *guest, struct text *why)
{
	if (!options_check(guest_options, guest, why) ||
	    !number_check("load_count", guest->load_count, 1, PLAN_LOAD_MAX, why) ||
	    !check_string(why, "guest", guest->name, sizeof(guest->name)))
		return false;
	if (guest->ram % RAM_GRAIN || ram_end(guest) > SPACE_END)
		return fail(why, "the RAM is not at a multiple of 2 MiB, or ends beyond 4 GiB");
	for (uint32_t i = 0; i < guest->load_count; i++)
		if (!check_load(guest, &guest->load[i], why))
			return false;
	return true;
}

struct plan_guest plan_guest_of(const struct plan *plan, const struct plan_vm *vm)
{
	struct plan_guest guest = plan->guest[vm->guest];

	guest.cpus = vm->cpus;
	guest.ram_mib = vm->ram_mib;
	return guest;
}

static bool check_vm(const struct plan *plan, const struct plan_vm *vm, struct text *why)
{
	struct plan_guest guest;

	if (!check_string(why, "vm", vm->name, sizeof(vm->name)) ||
	    !number_check("image", vm->image, 0, PLAN_IMAGE_COUNT - 1, why) ||
	    !options_check(vm_options, vm, why))
		return false;
	for (uint32_t n = 0; n < vm->cpus; n++)
		if (!number_check("core", vm->core[n], 0, PLAN_CORE_MAX - 1, why))
			return false;
	if (vm->image != PLAN_IMAGE_GUEST)
		return true;
	if (vm->guest >= plan->guest_count)
		return fail(why, "a vm has a guest that is not there");
	guest = plan_guest_of(plan, vm);
	return check_guest(&guest, why);
}

static const struct plan_vm *first_with(const struct plan *plan, enum plan_image image)
{
	for (uint32_t i = 0; i < plan->vm_count; i++)
		if (plan->vm[i].image == image)
			return &plan->vm[i];
	return NULL;
}

const struct plan_vm *plan_measured(const struct plan *plan)
{
	const struct plan_vm *bench = first_with(plan, PLAN_IMAGE_BENCH);

	return bench ? bench : &plan->vm[0];
}

const struct plan_vm *plan_background(const struct plan *plan)
{
	return first_with(plan, PLAN_IMAGE_BACKGROUND);
}

/* --- VMs together --- */

/* Two vCPUs of a VM on one core would share TLB entries that each has for its own. */
static const char *vm_refused(const struct plan *plan, const struct plan_vm *vm)
{
	bool bench = vm->image == PLAN_IMAGE_BENCH;
	uint32_t cores = 0;

	if (vm == plan_measured(plan) && vm->image == PLAN_IMAGE_BACKGROUND)
		return "the background VM measures nothing";
	if (bench && vm != plan_measured(plan))
		return "one VM has the benchmarks";
	if (bench != (plan->bench_count != 0) && vm == plan_measured(plan))
		return "bench lines and image=bench go together";
	if (vm->image != PLAN_IMAGE_GUEST && (vm->cpus != 1 || vm->ram_mib != 0))
		return "image=bench and image=background have one vCPU, and no ram_mib";
	for (uint32_t n = 0; n < vm->cpus; n++) {
		if (cores >> vm->core[n] & 1)
			return "each vCPU of a VM has a core of its own";
		cores |= 1u << vm->core[n];
	}
	return NULL;
}

static bool check_runs(const struct plan *plan, const struct plan_vm *vm, struct text *why)
{
	const char *what = vm_refused(plan, vm);

	if (!what)
		return true;
	text_string(why, "vm ");
	text_string(why, vm->name);
	text_string(why, ": ");
	return fail(why, what);
}

/* Where a core runs one vCPU. */
static bool is_idle_beside(const struct plan_vm *vm, const struct plan_vm *measured)
{
	return vm->image == PLAN_IMAGE_BACKGROUND && vm->core[0] == measured->core[0];
}

/* Only a trapped guest leaves its core when another VM, or another core, asks. */
static bool check_together(const struct plan *plan, const struct run_config *config,
			   struct text *why)
{
	const struct plan_vm *measured = plan_measured(plan);

	if (config->irq == IRQ_TRAPPED && config->stage2 != STAGE2_OFF)
		return true;
	if (config->sched != SCHED_NULL || plan->event_count)
		return fail(why, "sched or events without irq=trapped");
	if (measured->core[0] != 0)
		return fail(why, "a guest that is not trapped has core 0");
	for (uint32_t i = 0; i < plan->vm_count; i++)
		if (&plan->vm[i] != measured && !is_idle_beside(&plan->vm[i], measured))
			return fail(why, "several VMs without irq=trapped");
	return true;
}

static bool check_event(const struct plan *plan, const struct plan_event *event, struct text *why)
{
	if (!number_check("event", event->kind, 0, PLAN_EVENT_COUNT - 1, why))
		return false;
	return event->vm < plan->vm_count || fail(why, "an event has a vm that is not there");
}

bool plan_check(const struct plan_section *section, struct text *why)
{
	const struct plan *plan = &section->plan;

	if (!check_header(section, why) || !check_head(plan, why))
		return false;
	for (uint32_t i = 0; i < plan->bench_count; i++)
		if (!check_bench(&plan->bench[i], why))
			return false;
	for (uint32_t i = 0; i < plan->guest_count; i++)
		if (!check_guest(&plan->guest[i], why))
			return false;
	for (uint32_t i = 0; i < plan->vm_count; i++)
		if (!check_vm(plan, &plan->vm[i], why))
			return false;
	for (uint32_t i = 0; i < plan->vm_count; i++)
		if (!check_runs(plan, &plan->vm[i], why))
			return false;
	for (uint32_t i = 0; i < plan->config_count; i++)
		if (!check_config(&plan->config[i], why) ||
		    !check_together(plan, &plan->config[i], why))
			return false;
	for (uint32_t i = 0; i < plan->event_count; i++)
		if (!check_event(plan, &plan->event[i], why))
			return false;
	return true;
}

const char *plan_order_word(const struct plan *plan)
{
	return order_words[plan->order];
}

const char *plan_platform_word(const struct plan *plan)
{
	return platform_words[plan->platform];
}
