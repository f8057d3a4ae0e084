/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the check of a binary plan: whichever word of a plan changes, the plan is refused with a
 * text, or has every count and index within its bounds. */
#include <string.h>

#include "lib/crc32.h"
#include "lib/plan.h"
#include "tests/unit/unit.h"

static struct plan_section section;
static struct plan *const plan = &section.plan;
static char buffer[128];
static struct text why;

/* Make a plan with two VMs that share two cores, a link, and an event of each kind. */
static void make(void)
{
	memset(&section, 0, sizeof(section));
	memcpy(section.magic, PLAN_SECTION_MAGIC, sizeof(section.magic));
	section.version = PLAN_VERSION;
	section.length = sizeof(*plan);
	plan->config_count = plan->bench_count = plan->guest_count = plan->link_count = 1;
	plan->event_count = plan->on_count = plan->pass_count = 1;
	plan->vm_count = plan->core_count = 2;
	plan->taking_part[0] = 3;
	plan->ram_mib = 66;
	plan->vm[0].cpus = 1;
	plan->vm[1] = (struct plan_vm){ .image = PLAN_IMAGE_GUEST, .cpus = 2, .ram_mib = 64 };
	plan->vm[1].core[1] = 1;
	plan->link[0].b = 1;
}

static bool checked(void)
{
	section.crc = crc32_update(0, plan, sizeof(*plan));
	text_init(&why, buffer, sizeof(buffer));
	return plan_check(&section, &why);
}

static void assert_refused(const char *text)
{
	assert_false(checked());
	assert_string_equal(why.at, text);
}

EACH_TEST(make, NULL);

TEST(a_plan_in_its_bounds_is_taken)
{
	assert_true(checked());
	assert_int_equal(why.length, 0);
}

TEST(a_refusal_has_the_word_the_value_and_the_bounds)
{
	plan->vm_count = 9;
	assert_refused("vm_count 9; valid: 1 to 8");
	plan->vm_count = 2;
	plan->vm[1].core[1] = 2;
	assert_refused("core of a VM 2; valid: below 2");
	plan->vm[1].core[1] = 1;
	plan->config[0].stage2 = 4;
	assert_refused("stage2 4; valid: below 4");
	plan->config[0].stage2 = 0;
	plan->beside[0].vcpus = 5;
	assert_refused("vcpus 5; valid: 0 to 4");
	plan->beside[0].vcpus = 0;
	plan->vm[1].ram_mib = 65;
	assert_refused("the VMs of a configuration have 67 MiB; valid: up to 66");
	plan->vm[1].ram_mib = 64;
	memset(plan->vm[0].name, 'x', sizeof(plan->vm[0].name));
	assert_refused("the name of a VM has no end");
}

/* Each member that EL2 uses as a count or an index, and its first value out of bounds. */
TEST(each_count_and_index_has_its_bound)
{
	const struct {
		uint32_t *member, bound;
	} bounds[] = {
		{ &plan->platform, PLATFORM_COUNT },
		{ &plan->config_count, PLAN_CONFIG_MAX + 1 },
		{ &plan->bench_count, PLAN_BENCH_MAX + 1 },
		{ &plan->guest_count, PLAN_GUEST_MAX + 1 },
		{ &plan->vm_count, PLAN_VM_MAX + 1 },
		{ &plan->event_count, PLAN_EVENT_MAX + 1 },
		{ &plan->on_count, PLAN_ON_MAX + 1 },
		{ &plan->link_count, PLAN_LINK_MAX + 1 },
		{ &plan->measured, 2 },
		{ &plan->core_count, PLAN_CORE_MAX + 1 },
		{ &plan->pass_count, 3 },
		{ &plan->taking_part[0], 4 },
		{ &plan->guest[0].load_count, PLAN_LOAD_MAX + 1 },
		{ &plan->vm[0].image, PLAN_IMAGE_COUNT },
		{ &plan->vm[1].guest, 1 },
		{ &plan->vm[0].load, BESIDE_RANDOM + 1 },
		{ &plan->vm[0].colours, PLAN_COLOURS + 1 },
		{ &plan->vm[0].cpus, PLAN_VM_CPUS + 1 },
		{ &plan->vm[0].core[0], 2 },
		{ &plan->link[0].kind, PLAN_LINK_COUNT },
		{ &plan->link[0].a, 2 },
		{ &plan->link[0].b, 2 },
		{ &plan->event[0].kind, PLAN_EVENT_COUNT },
		{ &plan->event[0].vm, 2 },
		{ &plan->on[0].end, PLAN_END_COUNT },
		{ &plan->on[0].of, 2 },
		{ &plan->on[0].kind, PLAN_EVENT_COUNT },
		{ &plan->on[0].vm, 2 },
	};

	for (unsigned i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		uint32_t good = *bounds[i].member;

		*bounds[i].member = bounds[i].bound;
		assert_false(checked());
		assert_true(why.length > 0 && !why.overflow);
		*bounds[i].member = UINT32_MAX;
		assert_false(checked());
		*bounds[i].member = good;
	}
	assert_true(checked());
}
