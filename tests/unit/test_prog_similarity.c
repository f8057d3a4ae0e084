/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fake/fake_program.h"
#include "guest/programs/similarity.c"
#include "tests/unit/unit.h"

static void find_by_looking_at_all(const struct vector *query, struct answer *answer)
{
	for (unsigned i = 0; i < NEAREST; i++)
		answer->nearest[i] = (struct neighbour){ VECTOR_COUNT, INFINITY };
	for (unsigned i = 0; i < VECTOR_COUNT; i++)
		insert(answer, i, distance(query, &vectors[i]));
}

TEST(distance_is_euclids)
{
	struct vector a = { { 0 } }, b = { { 3, [7] = 4 } };

	assert_true(distance(&a, &b) == 5);
	assert_true(distance(&b, &b) == 0);
}

TEST(index_finds_what_looking_at_all_finds)
{
	for (uint32_t seed = 1; seed <= 5; seed++) {
		fake_program_run(&prog_similarity, seed);
		for (unsigned i = 0; i < QUERY_COUNT; i++) {
			struct answer all;

			find_by_looking_at_all(&queries[i], &all);
			assert_memory_equal(&all, &answers[i], sizeof(all));
		}
	}
}

TEST(answers_ascend)
{
	fake_program_run(&prog_similarity, 1);
	for (unsigned i = 0; i < QUERY_COUNT; i++)
		for (unsigned k = 1; k < NEAREST; k++)
			assert_true(answers[i].nearest[k - 1].distance <=
				    answers[i].nearest[k].distance);
}

TEST(index_saves_most_of_the_work)
{
	fake_program_run(&prog_similarity, 1);
	assert_in_range(looked_at, QUERY_COUNT * NEAREST, QUERY_COUNT * VECTOR_COUNT / 2);
}

TEST(repeats)
{
	assert_program_repeats(&prog_similarity);
}
