/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake/fake_program.h"
#include "guest/programs/similarity.c"

static void find_by_looking_at_all(const struct vector *query, struct answer *answer)
{
	for (unsigned i = 0; i < NEAREST; i++)
		answer->nearest[i] = (struct neighbour){ VECTOR_COUNT, INFINITY };
	for (unsigned i = 0; i < VECTOR_COUNT; i++)
		insert(answer, i, distance(query, &vectors[i]));
}

static void distance_is_euclids(void **state)
{
	struct vector a = { { 0 } }, b = { { 3, [7] = 4 } };

	(void)state;
	assert_true(distance(&a, &b) == 5);
	assert_true(distance(&b, &b) == 0);
}

static void index_finds_what_looking_at_all_finds(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 5; seed++) {
		fake_program_run(&prog_similarity, seed);
		for (unsigned i = 0; i < QUERY_COUNT; i++) {
			struct answer all;

			find_by_looking_at_all(&queries[i], &all);
			assert_memory_equal(&all, &answers[i], sizeof(all));
		}
	}
}

static void answers_ascend(void **state)
{
	(void)state;
	fake_program_run(&prog_similarity, 1);
	for (unsigned i = 0; i < QUERY_COUNT; i++)
		for (unsigned k = 1; k < NEAREST; k++)
			assert_true(answers[i].nearest[k - 1].distance <=
				    answers[i].nearest[k].distance);
}

static void index_saves_most_of_the_work(void **state)
{
	(void)state;
	fake_program_run(&prog_similarity, 1);
	assert_in_range(looked_at, QUERY_COUNT * NEAREST, QUERY_COUNT * VECTOR_COUNT / 2);
}

static void repeats(void **state)
{
	(void)state;
	assert_program_repeats(&prog_similarity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distance_is_euclids),
		cmocka_unit_test(index_finds_what_looking_at_all_finds),
		cmocka_unit_test(answers_ascend),
		cmocka_unit_test(index_saves_most_of_the_work),
		cmocka_unit_test(repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
