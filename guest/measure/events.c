/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/measure/events.h"

#include "arch/pmu.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/guest_arch.h"

#define PMCR_N(pmcr) ((unsigned)(pmcr) >> 11 & 0x1f)
#define FILTER_NSH (1u << 27) /* count at EL2 too */

/* Common events (DDI 0487 D7.11, DDI 0406C C12.8). */
struct event {
	char name[20];
	uint32_t number;
};

static const struct event groups[][EVENTS_MAX] = {
	[EVENTS_TLB] = {
		{ "l1d_tlb_refill", 0x05 },
		{ "l1i_tlb_refill", 0x02 },
		{ "l2d_tlb_refill", 0x2d },
		{ "dtlb_walk", 0x34 },
	},
	[EVENTS_CACHE] = {
		{ "l1d_cache_refill", 0x03 },
		{ "l1i_cache_refill", 0x01 },
		{ "l2d_cache_refill", 0x17 },
		{ "bus_access", 0x19 },
	},
	[EVENTS_BRANCH] = {
		{ "br_mis_pred", 0x10 },
		{ "br_pred", 0x12 },
		{ "br_retired", 0x21 },
		{ "br_mis_pred_retired", 0x22 },
	},
};

static const char *const none[] = {
	[EVENTS_TLB] = "events=tlb, but this core counts no TLB refills, PMCEID0",
	[EVENTS_CACHE] = "events=cache, but this core counts no cache refills, PMCEID0",
	[EVENTS_BRANCH] = "events=branch, but this core counts no branches, PMCEID0",
};

static const struct event *chosen[EVENTS_MAX]; /* index: event counter */
static unsigned count;

uint32_t events_from[EVENTS_MAX], events_until[EVENTS_MAX];

/*
 * PMCEID0 and PMCEID1. QEMU's Armv7 cores have neither register: the accesses are undefined, and
 * the skipped reads leave 0.
 */
static void read_pmceid(uint32_t pmceid[2])
{
	guest_arch_survive();
	guest_faults_allowed = 2;
	pmceid[0] = (uint32_t)read_pmceid0_el0();
	pmceid[1] = (uint32_t)read_pmceid1_el0();
	if (guest_faults_allowed != 2)
		pmceid[0] = pmceid[1] = 0;
	guest_faults_allowed = 0;
	guest_arch_irq_delay(0); /* restore the ordinary vectors */
}

/* A test replaces this function, so it is not static. */
bool events_counted(const uint32_t pmceid[2], uint32_t number);

__attribute__((noinline)) bool events_counted(const uint32_t pmceid[2], uint32_t number)
{
	return pmceid[number / 32] >> number % 32 & 1;
}

static void set_up(unsigned counter)
{
	write_pmselr_el0(counter);
	isb();
	write_pmxevtyper_el0(FILTER_NSH | chosen[counter]->number);
}

void events_init(const struct guest_run *run)
{
	uint32_t group = run->config.events, pmceid[2];
	unsigned counters;

	count = 0;
	if (group == EVENTS_OFF)
		return;
	if (!pmu_is_there())
		guest_refuse("events, but this core has no PMU, version; set events=off",
			     pmu_version());
	counters = PMCR_N(read_pmcr_el0());
	if (counters < EVENTS_MAX)
		guest_refuse("events need 4 event counters, the guest has PMCR.N; set events=off",
			     counters);
	read_pmceid(pmceid);
	for (unsigned i = 0; i < EVENTS_MAX; i++)
		if (events_counted(pmceid, groups[group][i].number))
			chosen[count++] = &groups[group][i];
	if (count == 0)
		guest_refuse(none[group], pmceid[0]);
	for (unsigned i = 0; i < count; i++)
		set_up(i);
	write_pmcntenset_el0((1u << count) - 1);
	isb();
}

unsigned events_count(void)
{
	return count;
}

const char *events_name(unsigned event)
{
	return chosen[event]->name;
}

uint32_t events_in_window(unsigned event)
{
	return events_until[event] - events_from[event];
}
