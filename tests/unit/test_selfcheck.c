/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the self-check: each fault of a machine gives its own message. The machine of these
 * tests has no fault until a test adds one. */
/* LINK: hyp/run/selfcheck.c drivers/timer/generic_timer.c */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/sysreg.h"
#include "drivers/gic/gic.h"
#include "drivers/gic/gic_virt.h"
#include "hyp/base/boot_state.h"
#include "hyp/run/selfcheck.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/fake/function.h"
#include "tests/unit/unit.h"

struct boot_state boot_state;
const char *volatile hyp_exception_means;

/* The three answers of the GIC driver that matter here. */
static unsigned version, probed, list_registers;

FAKE_VALUE_FUNC(unsigned, gic_version, (void), version)
FAKE_VALUE_FUNC(unsigned, gic_probe_version, (void), probed)
FAKE_VALUE_FUNC(unsigned, gic_virt_init, (void), list_registers)

static void setup(void)
{
	fake_hyp_reset();
	fake_cntfrq_el0 = 62500000;
	version = 2;
	probed = 2;
	list_registers = 4;
	fake_pages(1);
	boot_state.level = ENTRY_EL2;
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

EACH_TEST(setup, NULL);

TEST(a_machine_that_is_well_passes)
{
	unsigned lr_count = 0;

	assert_null(selfcheck(&lr_count));
	assert_int_equal(lr_count, 4);
}

TEST(another_gic_is_refused)
{
	for (probed = 0; probed <= 15; probed++)
		if (probed != 2)
			assert_wrong("no GICv2 answers");
	version = 3;
	for (probed = 0; probed <= 15; probed++)
		if (probed == 3 || probed == 4) /* a GICv4 passes as a GICv3 */
			a_machine_that_is_well_passes();
		else
			assert_wrong("no GICv3 answers");
}

/* The fake board's guest has 16 MiB. Without address line 23 the same 8 MiB appear twice. */
TEST(ram_that_has_one_place_for_two_words_is_refused)
{
	const size_t half = 0x800000;
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_return_code(ftruncate(fileno(file), (off_t)half), errno);
	for (size_t i = 0; i < 2; i++)
		assert_ptr_not_equal(mmap((void *)(FAKE_GUEST_BASE + i * half), half,
					  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
					  fileno(file), 0),
				     MAP_FAILED);
	assert_wrong("the guest's RAM is not there: the board has less than 16 MiB at 0x20000000");
	assert_ptr_not_equal(mmap((void *)(FAKE_GUEST_BASE + half), half, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			     MAP_FAILED);
	a_machine_that_is_well_passes();
	assert_null(hyp_exception_means);
	fclose(file);
}

/* The exception level is checked first: below EL2 nothing else can be read. The counter's source is
 * started before anything reads the counter. */
TEST(the_first_thing_wrong_is_told)
{
	fake_hyp.level = 1;
	boot_state.level = ENTRY_SECURE_SVC;
	fake_hyp.counter_refused = true;
	fake_cntfrq_el0 = 0;
	fake_counter_step = 0;
	fake_hyp.coherency_refused = true;
	fake_hyp.pa_bits = 31;
	probed = 0;
	list_registers = 0;
	assert_wrong("entered in Secure SVC");
	boot_state.level = ENTRY_EL2;
	assert_wrong("started at EL1");
	fake_hyp.level = 2;
	assert_wrong("the counter's source does not start");
	fake_hyp.counter_refused = false;
	assert_wrong("CNTFRQ is 0");
	fake_cntfrq_el0 = 1;
	assert_wrong("the counter stands still");
	fake_hyp.counter_starts = true;
	assert_wrong("ACTLR.SMP is 0");
	fake_hyp.coherency_refused = false;
	assert_wrong("stage 2 cannot take 32-bit");
	fake_hyp.pa_bits = 32;
	assert_wrong("no GICv2 answers");
	probed = 2;
	assert_wrong("this GIC has no virtualization");
	list_registers = 4;
	a_machine_that_is_well_passes();
}
