/* SPDX-License-Identifier: Apache-2.0 */
/* Which events the guest counts: on a PMU that this test plays. */
/* LINK: guest/events.c */
#include <string.h>

#include "arch/sysreg.h"
#include "guest/events.h"
#include "guest/guest.h"
#include "guest/guest_arch.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define PMU_V3 (1u << 8)
#define CYCLES (1u << 31)
#define FILTER_NSH (1u << 27)
#define TYPE_UNSET 0xffffffffu

static uint32_t type[8];
static bool pmceid_undefined;

static jmp_buf refused;
static const char *why;
static uint64_t value_refused;

volatile uint32_t guest_faults_allowed;

void guest_arch_survive(void)
{
}

void guest_arch_irq_delay(uint32_t instructions)
{
	assert_int_equal(instructions, 0);
	assert_int_equal(guest_faults_allowed, 0);
}

void guest_refuse(const char *what, uint64_t value)
{
	why = what;
	value_refused = value;
	longjmp(refused, 1);
}

static bool on_read(const uint64_t *variable, uint64_t *value)
{
	bool pmceid = variable == &fake_pmceid0_el0 || variable == &fake_pmceid1_el0;

	if (pmceid && pmceid_undefined) {
		assert_true(guest_faults_allowed > 0);
		guest_faults_allowed--;
		*value = UINT64_MAX; /* whatever the register held */
		return true;
	}
	return false;
}

static bool on_write(const uint64_t *variable, uint64_t value)
{
	if (variable == &fake_pmxevtyper_el0)
		type[fake_pmselr_el0] = (uint32_t)value;
	if (variable == &fake_pmcntenset_el0)
		fake_pmcntenset_el0 |= value;
	return variable == &fake_pmcntenset_el0;
}

static void setup(void)
{
	fake_reset();
	fake_sysregs.read = on_read;
	fake_sysregs.write = on_write;
	fake_id_aa64dfr0_el1 = PMU_V3;
	fake_pmcr_el0 = 6u << 11;
	fake_pmcntenset_el0 = CYCLES;
	memset(type, 0xff, sizeof(type));
	pmceid_undefined = false;
}

static void init(enum event_group group)
{
	struct guest_run run = { .config.events = group };

	events_init(&run);
}

static void assert_refused(enum event_group group, const char *what, uint64_t value)
{
	if (setjmp(refused) == 0) {
		init(group);
		fail_msg("not refused: %s", what);
	}
	assert_string_equal(why, what);
	assert_int_equal(value_refused, value);
	assert_int_equal(events_count(), 0);
}

EACH_TEST(setup, NULL);

TEST(what_the_core_counts_is_chosen_at_every_level)
{
	fake_pmceid0_el0 = 1u << 0x05 | 1u << 0x03 | 1u << 0x10;
	fake_pmceid1_el0 = 1u << (0x2d - 32);
	init(EVENTS_TLB);
	assert_int_equal(events_count(), 2);
	assert_string_equal(events_name(0), "l1d_tlb_refill");
	assert_string_equal(events_name(1), "l2d_tlb_refill");
	assert_int_equal(type[0], FILTER_NSH | 0x05);
	assert_int_equal(type[1], FILTER_NSH | 0x2d);
	assert_int_equal(type[2], TYPE_UNSET);
	assert_int_equal(fake_pmcntenset_el0, CYCLES | 3);
	init(EVENTS_CACHE);
	assert_int_equal(events_count(), 1);
	assert_string_equal(events_name(0), "l1d_cache_refill");
	init(EVENTS_BRANCH);
	assert_int_equal(events_count(), 1);
	assert_int_equal(type[0], FILTER_NSH | 0x10);
}

/* As many as MDCR_EL2.HPMN leaves the guest. */
TEST(too_few_counters_are_refused)
{
	fake_pmceid0_el0 = fake_pmceid1_el0 = UINT32_MAX;
	fake_pmcr_el0 = 4u << 11;
	init(EVENTS_TLB);
	assert_int_equal(events_count(), EVENTS_MAX);
	fake_pmcr_el0 = 3u << 11;
	assert_refused(EVENTS_TLB,
		       "events need 4 event counters, the guest has PMCR.N; set events=off", 3);
}

/* QEMU: instructions and cycles are in none of the groups. */
TEST(a_group_that_is_not_counted_is_refused)
{
	fake_pmceid0_el0 = 1u << 0 | 1u << 0x08 | 1u << 0x11;
	assert_refused(EVENTS_TLB, "events=tlb, but this core counts no TLB refills, PMCEID0",
		       fake_pmceid0_el0);
	assert_refused(EVENTS_CACHE, "events=cache, but this core counts no cache refills, PMCEID0",
		       fake_pmceid0_el0);
	assert_refused(EVENTS_BRANCH, "events=branch, but this core counts no branches, PMCEID0",
		       fake_pmceid0_el0);
	pmceid_undefined = true;
	assert_refused(EVENTS_TLB, "events=tlb, but this core counts no TLB refills, PMCEID0", 0);
	fake_id_aa64dfr0_el1 = 0;
	assert_refused(EVENTS_TLB, "events, but this core has no PMU, version; set events=off", 0);
}

TEST(off_touches_no_register)
{
	fake_id_aa64dfr0_el1 = 0;
	init(EVENTS_OFF);
	assert_int_equal(events_count(), 0);
	assert_int_equal(type[0], TYPE_UNSET);
}

TEST(a_counter_that_comes_round_counts_on)
{
	events_from[1] = 7;
	events_until[1] = 12;
	assert_int_equal(events_in_window(1), 5);
	events_from[1] = UINT32_MAX - 9;
	events_until[1] = 15;
	assert_int_equal(events_in_window(1), 25);
	events_until[1] = events_from[1] - 1;
	assert_int_equal(events_in_window(1), UINT32_MAX);
}
