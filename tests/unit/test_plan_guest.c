/* SPDX-License-Identifier: Apache-2.0 */
/* The plan parser: a guest that is not our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/plan.h"
#include "tests/unit/plan_text.h"

#define CONFIGS_AND_BENCHES "config native\nbench counter\n"
#define GUEST "config trapped\nguest ram_mib=64\n"
#define LOADED GUEST "load ipa=0x40200000 size=4096\n"

static void a_guest_has_the_defaults(void **state)
{
	(void)state;
	assert_parses(LOADED);
#define X(field, dflt, min, max)                                                                   \
	if (strcmp(#field, "ram_mib") != 0)                                                        \
		assert_int_equal(plan.guest.field, dflt);
	PLAN_GUEST_FIELDS(X)
#undef X
	assert_int_equal(plan.guest.ram_mib, 64);
	assert_int_equal(plan.guest.load_count, 1);
	assert_int_equal(plan.guest.load[0].store, 0);
	assert_int_equal(plan.guest.load[0].ipa, 0x40200000);
	assert_int_equal(plan.guest.load[0].size, 4096);
	assert_int_equal(plan.bench_count, 0);
	assert_int_equal(plan.order, PLAN_ORDER_ONCE);
}

static void every_field_of_a_guest_is_taken(void **state)
{
	(void)state;
	assert_parses("limit_ms 0\norder abba\nconfig native\n"
		      "guest ram=0x80000000 ram_mib=2048 cpus=4 entry=0x1004 dtb=2147483648\n"
		      "load store=0x1000 ipa=0x1000 size=0x2001\n"
		      "load store=0xfffff000 ipa=0xfffffff0 size=16\nplatform qemu-icount\n");
	assert_int_equal(plan.limit_ms, 0);
	assert_int_equal(plan.order, PLAN_ORDER_ONCE);
	assert_int_equal(plan.guest.ram, 0x80000000);
	assert_int_equal(plan.guest.ram_mib, 2048);
	assert_int_equal(plan.guest.cpus, 4);
	assert_int_equal(plan.guest.entry, 0x1004);
	assert_int_equal(plan.guest.dtb, 0x80000000);
	assert_int_equal(plan.guest.load_count, 2);
	assert_int_equal(plan.guest.load[0].store, 0x1000);
	assert_int_equal(plan.guest.load[0].size, 0x2001);
	assert_int_equal(plan.guest.load[1].store, 0xfffff000);
	assert_int_equal(plan.guest.load[1].ipa, 0xfffffff0);
}

static void without_a_guest_there_is_none(void **state)
{
	(void)state;
	assert_parses(LOADED);
	assert_parses(CONFIGS_AND_BENCHES);
	assert_int_equal(plan.guest.load_count, 0);
}

static void wrong_fields(void **state)
{
	(void)state;
	assert_error(GUEST "load at=5\n", 3, "unknown field 'at=5'; valid: store ipa size");
	assert_error("guest mem=5\n", 1,
		     "unknown field 'mem=5'; valid: ram ram_mib cpus entry dtb");
	assert_error("guest cpus=5\n", 1, "wrong number 'cpus=5'; valid: 1 to 4");
	assert_error("guest ram_mib=0\n", 1, "wrong number 'ram_mib=0'; valid: 2 to 3072");
	assert_error("guest entry=0x\n", 1, "wrong number 'entry=0x'; valid: 0 to 4294967295");
	assert_error("guest entry=0xG\n", 1, "wrong number 'entry=0xG'; valid: 0 to 4294967295");
	assert_error("guest entry=0x100000000\n", 1,
		     "wrong number 'entry=0x100000000'; valid: 0 to 4294967295");
	assert_error("guest ram=0x40000000 ram=0\n", 1, "said twice: 'ram=0'");
	assert_error(GUEST "load ipa=0x40000000 size=0\n", 3,
		     "wrong number 'size=0'; valid: 1 to 4294967295");
}

static void benches_and_a_guest(void **state)
{
	static const char message[] = "a plan has bench lines or a guest, not both";

	(void)state;
	assert_error(LOADED "bench b\n", 4, message);
	assert_error("bench b\nguest\n", 2, message);
}

static void lines_of_a_guest_that_are_missing_or_too_many(void **state)
{
	char text[1024] = GUEST, line[64];

	(void)state;
	assert_error("config trapped\nload size=1\n", 2, "a load needs a guest line before it");
	assert_error(GUEST "name a\n", 2, "the guest has no load line");
	assert_error(GUEST "guest\n", 3, "there is already a guest");
	assert_error("guest\nload ipa=0x40200000 size=4\n", 2, "the plan has no config line");
	for (unsigned i = 0; i <= PLAN_LOAD_MAX; i++) {
		snprintf(line, sizeof(line), "load ipa=0x4020%u000 size=4096\n", i);
		strcat(text, line);
	}
	assert_error(text, 3 + PLAN_LOAD_MAX, "too many loads, at most 8");
}

static void memory_that_a_guest_cannot_have(void **state)
{
	(void)state;
	assert_error("guest ram=0x40100000\n", 1, "ram is not a multiple of 2 MiB");
	assert_error("guest ram=0xc0000000 ram_mib=1025\n", 1, "the RAM ends above 4 GiB");
	assert_parses("config trapped\nguest ram=0xc0000000 ram_mib=1024 entry=0xc0000000\n"
		      "load ipa=0xc0000000 size=0x40000000\n");
}

static void loads_that_lie_wrong(void **state)
{
	(void)state;
	assert_error(GUEST "load ipa=0x40200000\n", 3, "a load's size is missing");
	assert_error(GUEST "load store=0x800 ipa=0x40200000 size=4\n", 3,
		     "store is not a multiple of 4 KiB");
	assert_error(GUEST "load ipa=0xffffffff size=2\n", 3, "the load ends above 4 GiB");
	assert_error(GUEST "load ipa=0x43fff000 size=0x1001\n", 3,
		     "the load ends behind the guest's RAM");
	assert_parses(LOADED "load ipa=0x43fff000 size=0x1000\n");
	assert_error(GUEST "load ipa=0x3ffff000 size=0x1001\n", 3,
		     "the load reaches into the guest's RAM");
	assert_error(GUEST "load ipa=0x3fffff00 size=4\n", 3,
		     "ipa of a load outside of RAM is not a multiple of 4 KiB");
	assert_error(LOADED "load ipa=0x40200fff size=1\n", 4, "the load overlaps another");
	assert_error(LOADED "load ipa=0x40000000 size=0x200001\n", 4, "the load overlaps another");
	assert_parses(LOADED "load ipa=0x40201000 size=1\nload ipa=0x40000000 size=0x200000\n");
}

static void addresses_that_are_nowhere(void **state)
{
	static const char entry[] = "entry is not in the guest's RAM or a load, or not aligned";

	(void)state;
	assert_error("config trapped\nguest entry=0\nload ipa=0x40200000 size=4\n", 2, entry);
	assert_error("config trapped\nguest entry=0x40200002\nload ipa=0x40200000 size=4\n", 2,
		     entry);
	assert_error("config trapped\nguest entry=4096\nload size=4096\n", 2, entry);
	assert_parses("config trapped\nguest entry=4092\nload size=4096\n");
	assert_error("config trapped\nguest dtb=0x4\nload ipa=0x40200000 size=4\n", 2,
		     "dtb is not in the guest's RAM or a load");
}

static void configurations_for_benchmarks_alone(void **state)
{
	(void)state;
	assert_error("config a trapped probes=on\nguest\nload ipa=0x40200000 size=4\n", 2,
		     "probes=on is for benchmarks: config 'a'");
	assert_error("config a trapped sched=slice\nguest\nload ipa=0x40200000 size=4\n", 2,
		     "a second VM (sched) is for benchmarks: config 'a'");
}

static void no_limit_is_for_a_guest(void **state)
{
	(void)state;
	assert_error("limit_ms 0\n" CONFIGS_AND_BENCHES "name after\n", 1,
		     "limit_ms 0 is for a guest, not for benchmarks");
	assert_parses("limit_ms 0\n" CONFIGS_AND_BENCHES "limit_ms 5\n");
	assert_int_equal(plan.limit_ms, 5);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guest_has_the_defaults),
		cmocka_unit_test(every_field_of_a_guest_is_taken),
		cmocka_unit_test(without_a_guest_there_is_none),
		cmocka_unit_test(wrong_fields),
		cmocka_unit_test(benches_and_a_guest),
		cmocka_unit_test(lines_of_a_guest_that_are_missing_or_too_many),
		cmocka_unit_test(memory_that_a_guest_cannot_have),
		cmocka_unit_test(loads_that_lie_wrong),
		cmocka_unit_test(addresses_that_are_nowhere),
		cmocka_unit_test(configurations_for_benchmarks_alone),
		cmocka_unit_test(no_limit_is_for_a_guest),
	};

	return cmocka_run_group_tests_name("plan_guest", tests, NULL, NULL);
}
