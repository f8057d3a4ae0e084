/* SPDX-License-Identifier: Apache-2.0 */
/* Exit statistics of several cores: a core changes those of its own vCPUs alone. */
/* LINK: hyp/trap/exit_stats.c hyp/base/record.c */
#include <string.h>

#include "hyp/trap/exit_stats.h"
#include "hyp/vm/vm.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

static struct vm mine = { .name = "mine" }, same_core = { .name = "same_core" },
		 other_core = { .name = "other_core" };
static struct vcpu vcpus[] = { { .vm = &mine, .core = 0 },
			       { .vm = &same_core, .core = 0 },
			       { .vm = &other_core, .core = 1 } };

static void setup(void)
{
	const struct run_config config = { .stats = 1 };

	fake_hyp_reset();
	exit_stats_reset(&config);
	for (unsigned i = 0; i < 3; i++) {
		exit_stats_attach(&vcpus[i]);
		exit_stats_add(&vcpus[i].stats->stat[EXIT_HVC], 100 + i);
	}
}

EACH_TEST(setup, NULL);

TEST(to_begin_anew_is_for_the_vcpus_of_the_core)
{
	exit_stats_begin(&vcpus[0]);
	exit_stats_emit();
	assert_null(strstr(fake_hyp.console, "\"mine\""));
	assert_null(strstr(fake_hyp.console, "\"same_core\""));
	assert_non_null(strstr(fake_hyp.console,
			       "\"vm\":\"other_core\",\"vcpu\":0,\"exit\":\"hvc\",\"n\":1,"
			       "\"total\":102,"));
}
