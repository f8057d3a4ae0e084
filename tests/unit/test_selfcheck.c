/* SPDX-License-Identifier: Apache-2.0 */
/* Each thing that can be wrong with a machine gives its own line; the machine here is well. */
/* LINK: hyp/run/selfcheck.c drivers/timer/generic_timer.c tests/unit/fdt_blob.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/sysreg.h"
#include "drivers/gic/gic.h"
#include "drivers/gic/gic_virt.h"
#include "hyp/base/boot_state.h"
#include "hyp/run/selfcheck.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/fdt_blob.h"

struct boot_state boot_state;

/* The driver's three answers that matter here. */
static unsigned version, probed, list_registers;

unsigned gic_version(void)
{
	return version;
}

unsigned gic_probe_version(void)
{
	return probed;
}

unsigned gic_virt_init(void)
{
	return list_registers;
}

static int setup(void **state)
{
	(void)state;
	fake_hyp_reset();
	fake_cntfrq_el0 = 62500000;
	version = 2;
	probed = 2;
	list_registers = 4;
	boot_state.dtb = 0;
	boot_state.level = ENTRY_EL2;
	return 0;
}

static void assert_wrong(const char *begins)
{
	unsigned lr_count;
	const char *wrong = selfcheck(&lr_count);

	assert_non_null(wrong);
	if (strncmp(wrong, begins, strlen(begins)) != 0)
		fail_msg("'%s' does not begin with '%s'", wrong, begins);
	assert_null(strchr(wrong, '\n'));
}

static void a_machine_that_is_well_passes(void **state)
{
	unsigned lr_count = 0;

	(void)state;
	assert_null(selfcheck(&lr_count));
	assert_int_equal(lr_count, 4);
}

static void el3_is_refused(void **state)
{
	(void)state;
	fake_hyp.level = 3;
	assert_wrong("started at EL3");
}

static void el1_is_refused(void **state)
{
	(void)state;
	fake_hyp.level = 1;
	assert_wrong("started at EL1");
}

static void secure_svc_has_a_line_of_its_own(void **state)
{
	(void)state;
	fake_hyp.level = 1;
	boot_state.level = ENTRY_SECURE_SVC;
	assert_wrong("entered in Secure SVC");
}

static void a_core_outside_coherency_is_refused(void **state)
{
	(void)state;
	fake_hyp.coherency_refused = true;
	assert_wrong("ACTLR.SMP is 0");
}

/* Before anything reads it. */
static void the_counters_source_is_started_first(void **state)
{
	(void)state;
	fake_hyp.counter_refused = true;
	assert_wrong("the counter's source does not start");
	fake_hyp.counter_refused = false;
	fake_counter_step = 0;
	fake_hyp.counter_starts = true;
	a_machine_that_is_well_passes(state);
}

static void a_frequency_of_0_is_refused(void **state)
{
	(void)state;
	fake_cntfrq_el0 = 0;
	assert_wrong("CNTFRQ is 0");
}

static void a_counter_that_stands_still_is_refused(void **state)
{
	(void)state;
	fake_counter_step = 0;
	assert_wrong("the counter stands still");
}

static void fewer_than_32_address_bits_are_refused(void **state)
{
	(void)state;
	fake_hyp.pa_bits = 31;
	assert_wrong("stage 2 cannot take 32-bit");
	fake_hyp.pa_bits = 32;
	a_machine_that_is_well_passes(state);
}

static void another_gic_is_refused(void **state)
{
	(void)state;
	for (probed = 0; probed <= 15; probed++)
		if (probed != 2)
			assert_wrong("no GICv2 answers");
	version = 3;
	for (probed = 0; probed <= 15; probed++)
		if (probed != 3 && probed != 4)
			assert_wrong("no GICv3 answers");
}

static void a_gicv4_does_for_gicv3(void **state)
{
	(void)state;
	version = 3;
	probed = 3;
	a_machine_that_is_well_passes(state);
	probed = 4;
	a_machine_that_is_well_passes(state);
}

static void a_gic_without_list_registers_is_refused(void **state)
{
	(void)state;
	list_registers = 0;
	assert_wrong("this GIC has no virtualization extensions");
}

/* A device tree with RAM at [0x10000000, + size), or what is there instead of one. */
static void hand_on_dtb(uint32_t size, const void *instead)
{
	const uint32_t reg[] = { 0, 0x10000000, size };
	struct fdt_blob blob = { 0 };
	uint8_t *page = fake_pages(1);
	uint8_t *made;
	size_t made_size;

	blob_begin(&blob, "");
	blob_begin(&blob, "memory");
	blob_text(&blob, "device_type", "memory");
	blob_cells(&blob, "reg", reg, 3);
	blob_end(&blob);
	blob_end(&blob);
	made = blob_finish(&blob, &made_size);
	memcpy(page, instead ? instead : made, instead ? strlen(instead) + 1 : made_size);
	free(made);
	boot_state.dtb = (uintptr_t)page;
}

/* The fake board's guest has 16 MiB from FAKE_GUEST_BASE, 0x20000000, on. */
static void ram_that_is_not_there_is_told(void **state)
{
	hand_on_dtb(0x10ffffff, NULL);
	assert_wrong("the guest's RAM is not there: the device tree has less than 16 MiB at "
		     "0x20000000");
	hand_on_dtb(0x11000000, NULL);
	a_machine_that_is_well_passes(state);
}

static void what_is_no_device_tree_says_nothing_of_ram(void **state)
{
	hand_on_dtb(4096, "no device tree");
	a_machine_that_is_well_passes(state);
	hand_on_dtb(0, NULL); /* nobody filled it in */
	a_machine_that_is_well_passes(state);
	hand_on_dtb(4096, NULL);
	boot_state.dtb += 4; /* not where one may be */
	a_machine_that_is_well_passes(state);
	boot_state.dtb = 1ull << 32; /* not looked at: nothing is there */
	a_machine_that_is_well_passes(state);
}

/* The level comes first: below EL2 nothing else can be asked. */
static void the_first_thing_wrong_is_told(void **state)
{
	(void)state;
	fake_hyp.level = 1;
	fake_cntfrq_el0 = 0;
	fake_counter_step = 0;
	fake_hyp.pa_bits = 0;
	probed = 0;
	list_registers = 0;
	assert_wrong("started at EL1");
	fake_hyp.level = 2;
	assert_wrong("CNTFRQ is 0");
	fake_cntfrq_el0 = 1;
	assert_wrong("the counter stands still");
	fake_counter_step = 1;
	assert_wrong("stage 2 cannot take");
	fake_hyp.pa_bits = 40;
	assert_wrong("no GICv2 answers");
	probed = 2;
	assert_wrong("this GIC has no virtualization");
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_machine_that_is_well_passes),
		TEST(el3_is_refused),
		TEST(el1_is_refused),
		TEST(secure_svc_has_a_line_of_its_own),
		TEST(a_core_outside_coherency_is_refused),
		TEST(the_counters_source_is_started_first),
		TEST(a_frequency_of_0_is_refused),
		TEST(a_counter_that_stands_still_is_refused),
		TEST(fewer_than_32_address_bits_are_refused),
		TEST(another_gic_is_refused),
		TEST(a_gicv4_does_for_gicv3),
		TEST(a_gic_without_list_registers_is_refused),
		TEST(ram_that_is_not_there_is_told),
		TEST(what_is_no_device_tree_says_nothing_of_ram),
		TEST(the_first_thing_wrong_is_told),
	};

	return cmocka_run_group_tests_name("selfcheck", tests, NULL, NULL);
}
