/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/plan.h"

#include <stddef.h>
#include <string.h>

#include "abi/link.h"
#include "lib/crc32.h"

#define LINK_MIB (LINK_SIZE >> 20)

/* An axis of struct run_config: its place and its number of values. */
struct axis {
	const char *name;
	size_t offset;
	const char *words;
};

/* A number of struct run_config: its place and its largest value. */
struct number {
	const char *name;
	size_t offset;
	uint32_t most;
};

#define AXIS(field, words) { #field, offsetof(struct run_config, field), words },
#define NUMBER(field, most) { #field, offsetof(struct run_config, field), most },

static const struct axis axes[] = { CONFIG_AXES(AXIS) };
static const struct number numbers[] = { CONFIG_NUMBERS(NUMBER) };

static bool check_number(const char *name, uint32_t value, uint32_t valid, struct text *why)
{
	if (value != valid)
		text_format(why, "%s %ju; valid: %ju", name, (uintmax_t)value, (uintmax_t)valid);
	return value == valid;
}

static bool check_range(const char *name, uint32_t value, uint32_t least, uint32_t most,
			struct text *why)
{
	bool valid = value >= least && value <= most;

	if (!valid)
		text_format(why, "%s %ju; valid: %ju to %ju", name, (uintmax_t)value,
			    (uintmax_t)least, (uintmax_t)most);
	return valid;
}

/* Check an index into a list of `count` entries. */
static bool check_index(const char *name, uint32_t value, uint32_t count, struct text *why)
{
	if (value >= count)
		text_format(why, "%s %ju; valid: below %ju", name, (uintmax_t)value,
			    (uintmax_t)count);
	return value < count;
}

static bool check_ends(const char *name, const char *text, size_t size, struct text *why)
{
	bool ends = text[size - 1] == '\0';

	if (!ends)
		text_format(why, "%s has no end", name);
	return ends;
}

static uint32_t member_of(const struct run_config *config, size_t offset)
{
	return *(const uint32_t *)(const void *)((const char *)config + offset);
}

static uint32_t count_words(const char *words)
{
	uint32_t count = 1;

	for (; *words; words++)
		count += *words == ' ';
	return count;
}

static bool check_config(const struct run_config *config, struct text *why)
{
	for (size_t i = 0; i < sizeof(axes) / sizeof(axes[0]); i++)
		if (!check_index(axes[i].name, member_of(config, axes[i].offset),
				 count_words(axes[i].words), why))
			return false;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!check_range(numbers[i].name, member_of(config, numbers[i].offset), 0,
				 numbers[i].most, why))
			return false;
	return check_ends("the name of a configuration", config->name, sizeof(config->name), why);
}

static bool check_guest(const struct plan_guest *guest, struct text *why)
{
	return check_ends("the name of a guest", guest->name, sizeof(guest->name), why) &&
	       check_range("load_count", guest->load_count, 0, PLAN_LOAD_MAX, why);
}

static bool check_vm(const struct plan *plan, const struct plan_vm *vm, struct text *why)
{
	if (!check_ends("the name of a VM", vm->name, sizeof(vm->name), why) ||
	    !check_index("image of a VM", vm->image, PLAN_IMAGE_COUNT, why) ||
	    (vm->image == PLAN_IMAGE_GUEST &&
	     !check_index("guest of a VM", vm->guest, plan->guest_count, why)) ||
	    !check_range("load of a VM", vm->load, BESIDE_NONE, BESIDE_RANDOM, why) ||
	    !check_range("colours of a VM", vm->colours, 0, PLAN_COLOURS, why) ||
	    !check_range("cpus of a VM", vm->cpus, 1, PLAN_VM_CPUS, why))
		return false;
	for (uint32_t i = 0; i < vm->colours; i++)
		if (!check_index("colour of a VM", vm->colour[i], PLAN_COLOURS, why))
			return false;
	for (uint32_t i = 0; i < vm->cpus; i++)
		if (!check_index("core of a VM", vm->core[i], plan->core_count, why))
			return false;
	return true;
}

static bool check_link(const struct plan *plan, const struct plan_link *link, struct text *why)
{
	return check_index("kind of a link", link->kind, PLAN_LINK_COUNT, why) &&
	       check_index("end a of a link", link->a, plan->vm_count, why) &&
	       check_index("end b of a link", link->b, plan->vm_count, why);
}

static bool check_event(const struct plan *plan, uint32_t kind, uint32_t vm, struct text *why)
{
	return check_index("kind of an event", kind, PLAN_EVENT_COUNT, why) &&
	       check_index("VM of an event", vm, plan->vm_count, why);
}

static bool check_on(const struct plan *plan, const struct plan_on *on, struct text *why)
{
	return check_index("end of an event", on->end, PLAN_END_COUNT, why) &&
	       check_index("VM that ends", on->of, plan->vm_count, why) &&
	       check_event(plan, on->kind, on->vm, why);
}

/* Check the VMs of a configuration, and the RAM that they and the links take. */
static bool check_step(const struct plan *plan, uint32_t config, struct text *why)
{
	bool coloured = plan->config[config].colouring;
	uint64_t mib = (uint64_t)plan->link_count * LINK_MIB;

	if (!check_index("VMs of a configuration", plan->taking_part[config], 1u << plan->vm_count,
			 why) ||
	    !check_config(&plan->config[config], why) || !check_config(&plan->beside[config], why))
		return false;
	for (uint32_t i = 0; i < plan->vm_count; i++)
		if (plan->taking_part[config] >> i & 1)
			mib += coloured && plan->vm[i].colours ? plan->vm[i].window_mib
							       : plan->vm[i].ram_mib;
	if (mib > plan->ram_mib)
		text_format(why, "the VMs of a configuration have %ju MiB; valid: up to %ju",
			    (uintmax_t)mib, (uintmax_t)plan->ram_mib);
	return mib <= plan->ram_mib;
}

static bool check_counts(const struct plan *plan, struct text *why)
{
	return check_index("platform", plan->platform, PLATFORM_COUNT, why) &&
	       check_range("config_count", plan->config_count, 1, PLAN_CONFIG_MAX, why) &&
	       check_range("bench_count", plan->bench_count, 1, PLAN_BENCH_MAX, why) &&
	       check_range("guest_count", plan->guest_count, 0, PLAN_GUEST_MAX, why) &&
	       check_range("vm_count", plan->vm_count, 1, PLAN_VM_MAX, why) &&
	       check_range("event_count", plan->event_count, 0, PLAN_EVENT_MAX, why) &&
	       check_range("on_count", plan->on_count, 0, PLAN_ON_MAX, why) &&
	       check_range("link_count", plan->link_count, 0, PLAN_LINK_MAX, why) &&
	       check_index("measured", plan->measured, plan->vm_count, why) &&
	       check_range("core_count", plan->core_count, 1, PLAN_CORE_MAX, why) &&
	       check_range("pass_count", plan->pass_count, 1, 2, why) &&
	       check_ends("the run record's words", plan->words, sizeof(plan->words), why);
}

static bool check_lists(const struct plan *plan, struct text *why)
{
	bool good = true;

	for (uint32_t i = 0; good && i < plan->bench_count; i++)
		good = check_ends("the name of a benchmark", plan->bench[i].name, PLAN_NAME_SIZE,
				  why);
	for (uint32_t i = 0; good && i < plan->guest_count; i++)
		good = check_guest(&plan->guest[i], why);
	for (uint32_t i = 0; good && i < plan->vm_count; i++)
		good = check_vm(plan, &plan->vm[i], why);
	for (uint32_t i = 0; good && i < plan->link_count; i++)
		good = check_link(plan, &plan->link[i], why);
	for (uint32_t i = 0; good && i < plan->event_count; i++)
		good = check_event(plan, plan->event[i].kind, plan->event[i].vm, why);
	for (uint32_t i = 0; good && i < plan->on_count; i++)
		good = check_on(plan, &plan->on[i], why);
	for (uint32_t i = 0; good && i < plan->config_count; i++)
		good = check_step(plan, i, why);
	return good;
}

bool plan_check(const struct plan_section *section, struct text *why)
{
	const struct plan *plan = &section->plan;
	bool ours = memcmp(section->magic, PLAN_SECTION_MAGIC, sizeof(section->magic)) == 0;

	if (!ours)
		text_string(why, "the plan section's magic is not " PLAN_SECTION_MAGIC);
	if (!ours || !check_number("version", section->version, PLAN_VERSION, why) ||
	    !check_number("length", section->length, sizeof(*plan), why))
		return false;
	if (crc32_update(0, plan, sizeof(*plan)) == section->crc)
		return check_counts(plan, why) && check_lists(plan, why);
	text_string(why, "wrong CRC-32: the plan is damaged or cut");
	return false;
}
