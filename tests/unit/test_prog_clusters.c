/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fake/fake_program.h"
#include "guest/programs/clusters.c"
#include "tests/unit/unit.h"

#define SEEDS 10u

TEST(every_point_is_in_a_cluster)
{
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
TEST(every_group_has_a_centre)
{
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
TEST(cost_is_near_the_best)
{
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

TEST(repeats)
{
	assert_program_repeats(&prog_clusters);
}
