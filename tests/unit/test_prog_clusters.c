/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake/fake_program.h"
#include "guest/programs/clusters.c"

#define SEEDS 10u

static void every_point_is_in_a_cluster(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		float weight = 0;

		fake_program_run(&prog_clusters, seed);
		assert_in_range(clustering->count, 1, CENTRE_MAX);
		for (uint32_t i = 0; i < clustering->count; i++)
			weight += clustering->centre[i].weight;
		assert_true(weight == (float)POINT_COUNT);
	}
}

/* The groups lie about 80 apart, their points about 2 from their middle. */
static void every_group_has_a_centre(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		fake_program_run(&prog_clusters, seed);
		for (unsigned i = 0; i < GROUP_COUNT; i++) {
			float reach;

			nearest(clustering, &groups[i], &reach);
			assert_true(reach < 10);
		}
	}
}

/* Each point to the nearest of the centres that there are at the end. */
static void cost_is_near_the_best(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		float cost = 0, best = 0;

		fake_program_run(&prog_clusters, seed);
		for (unsigned i = 0; i < POINT_COUNT; i++) {
			float reach, closest = INFINITY;

			nearest(clustering, &points[i], &reach);
			cost += reach;
			for (unsigned k = 0; k < GROUP_COUNT; k++)
				closest = fminf(closest, distance(&points[i], &groups[k]));
			best += closest;
		}
		assert_true(cost < 3 * best);
		assert_true(clustering->cost >= 0.5f * cost);
	}
}

static void repeats(void **state)
{
	(void)state;
	assert_program_repeats(&prog_clusters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_point_is_in_a_cluster),
		cmocka_unit_test(every_group_has_a_centre),
		cmocka_unit_test(cost_is_near_the_best),
		cmocka_unit_test(repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
