/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nearest neighbours of feature vectors, exactly, by an index of distances to a few pivots: the
 * triangle inequality excludes most vectors before the program reads them (L. Micó, J. Oncina, E.
 * Vidal, "LAESA", 1994). Single precision, memory read in the order of the index.
 * Proof: tests/qemu/test_programs.py.
 */
#include <math.h>
#include <string.h>

#include "guest/measure/program.h"
#include "guest/programs/distribution.h"
#include "lib/crc32.h"

#define DIMENSIONS 16u
#define VECTOR_COUNT 768u
#define GROUP_COUNT 24u /* groups of vectors, as features of similar objects form */
#define PIVOT_COUNT 8u
#define QUERY_COUNT 24u
#define NEAREST 5u

struct vector {
	float at[DIMENSIONS];
};

struct neighbour {
	uint32_t number;
	float distance;
};

struct answer {
	struct neighbour nearest[NEAREST]; /* in ascending distance */
};

static struct vector *vectors, *queries;
/* distances of each vector to the pivots, which are the first vectors */
static float (*pivot_distance)[PIVOT_COUNT];
static struct answer *answers;
static uint32_t looked_at; /* distances computed for the answers, without those to pivots */

static float distance(const struct vector *a, const struct vector *b)
{
	float sum = 0;

	for (unsigned i = 0; i < DIMENSIONS; i++) {
		float difference = a->at[i] - b->at[i];

		sum += difference * difference;
	}
	return sqrtf(sum);
}

static void build_index(void)
{
	for (unsigned i = 0; i < VECTOR_COUNT; i++)
		for (unsigned p = 0; p < PIVOT_COUNT; p++)
			pivot_distance[i][p] = distance(&vectors[i], &vectors[p]);
}

/*
 * Return whether the triangle inequality excludes a neighbour in reach, with a margin for rounding.
 */
static bool too_far(const float *of_query, const float *of_vector, float reach)
{
	for (unsigned p = 0; p < PIVOT_COUNT; p++)
		if (fabsf(of_query[p] - of_vector[p]) > reach * 1.0001f)
			return true;
	return false;
}

static void insert(struct answer *answer, uint32_t number, float d)
{
	unsigned at = NEAREST - 1;

	if (d >= answer->nearest[at].distance)
		return;
	for (; at > 0 && answer->nearest[at - 1].distance > d; at--)
		answer->nearest[at] = answer->nearest[at - 1];
	answer->nearest[at] = (struct neighbour){ number, d };
}

static void find_nearest(const struct vector *query, struct answer *answer)
{
	float of_query[PIVOT_COUNT];

	for (unsigned i = 0; i < NEAREST; i++)
		answer->nearest[i] = (struct neighbour){ VECTOR_COUNT, INFINITY };
	for (unsigned p = 0; p < PIVOT_COUNT; p++) {
		of_query[p] = distance(query, &vectors[p]);
		insert(answer, p, of_query[p]);
	}
	for (unsigned i = PIVOT_COUNT; i < VECTOR_COUNT; i++) {
		float reach = answer->nearest[NEAREST - 1].distance;

		if (too_far(of_query, pivot_distance[i], reach))
			continue;
		looked_at++;
		insert(answer, i, distance(query, &vectors[i]));
	}
}

static void scatter(struct vector *set, unsigned count, const struct vector *groups,
		    struct random *random)
{
	for (unsigned i = 0; i < count; i++)
		for (unsigned d = 0; d < DIMENSIONS; d++)
			set[i].at[d] = groups[i % GROUP_COUNT].at[d] +
				       (float)random_between(random, -0.1, 0.1);
}

static void similarity_prepare(uint32_t seed)
{
	struct vector groups[GROUP_COUNT];
	struct random random;

	random_init(&random, seed, 5);
	vectors = program_alloc(VECTOR_COUNT * sizeof(*vectors));
	queries = program_alloc(QUERY_COUNT * sizeof(*queries));
	answers = program_alloc(QUERY_COUNT * sizeof(*answers));
	pivot_distance = program_alloc(VECTOR_COUNT * sizeof(*pivot_distance));
	for (unsigned i = 0; i < GROUP_COUNT; i++)
		for (unsigned d = 0; d < DIMENSIONS; d++)
			groups[i].at[d] = (float)random_unit(&random);
	scatter(vectors, VECTOR_COUNT, groups, &random);
	scatter(queries, QUERY_COUNT, groups, &random);
	looked_at = 0;
}

static void similarity_run(void)
{
	build_index();
	for (unsigned i = 0; i < QUERY_COUNT; i++)
		find_nearest(&queries[i], &answers[i]);
}

static uint32_t similarity_checksum(void)
{
	return crc32_update(looked_at, answers, QUERY_COUNT * sizeof(*answers));
}

static const struct program prog_similarity = {
	.ticks = true,
	.prepare = similarity_prepare,
	.run = similarity_run,
	.checksum = similarity_checksum,
};
PROGRAM(prog_similarity);
