/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters in a stream of points that the program sees once: k-median, which opens a centre with a
 * probability that grows with the distance to the nearest one (A. Meyerson, "Online Facility
 * Location", 2001). With too many centres the price of a centre rises, and the program clusters the
 * centres themselves. Single precision, random decisions.
 * Proof: tests/qemu/test_programs.py.
 */
#include <math.h>
#include <string.h>

#include "guest/measure/program.h"
#include "guest/programs/distribution.h"
#include "lib/crc32.h"

#define DIMENSIONS 4u
#define POINT_COUNT 2048u
#define GROUP_COUNT 5u
#define CENTRE_MAX 20u

struct point {
	float at[DIMENSIONS];
};

struct centre {
	struct point point;
	float weight; /* number of points that the centre represents */
};

struct clustering {
	uint32_t count;
	float price; /* price of a new centre, as a distance */
	float cost;  /* sum of the distances of all points to their centres */
	struct centre centre[CENTRE_MAX + 1];
};

static struct point *points, *groups;
static struct clustering *clustering;
static struct random decisions;

static float distance(const struct point *a, const struct point *b)
{
	float sum = 0;

	for (unsigned i = 0; i < DIMENSIONS; i++) {
		float difference = a->at[i] - b->at[i];

		sum += difference * difference;
	}
	return sqrtf(sum);
}

static struct centre *nearest(struct clustering *c, const struct point *point, float *reach)
{
	struct centre *best = NULL;

	*reach = INFINITY;
	for (uint32_t i = 0; i < c->count; i++) {
		float d = distance(&c->centre[i].point, point);

		if (d < *reach) {
			*reach = d;
			best = &c->centre[i];
		}
	}
	return best;
}

/* Add a point to the nearest centre, or make the point a centre. */
static void add_weighted(struct clustering *c, const struct centre *new)
{
	float reach;
	struct centre *home = nearest(c, &new->point, &reach);

	if (!home || (float)random_unit(&decisions) * c->price < new->weight * reach) {
		c->centre[c->count++] = *new;
	} else {
		home->weight += new->weight;
		c->cost += new->weight *reach;
	}
}

static void cluster_centres(struct clustering *c)
{
	struct centre old[CENTRE_MAX + 1];
	uint32_t count = c->count;

	memcpy(old, c->centre, sizeof(old));
	c->price *= 2;
	c->count = 0;
	for (uint32_t i = 0; i < count; i++)
		add_weighted(c, &old[i]);
}

static void add_point(struct clustering *c, const struct point *point)
{
	struct centre new = { *point, 1 };

	add_weighted(c, &new);
	while (c->count > CENTRE_MAX)
		cluster_centres(c);
}

static void clusters_prepare(uint32_t seed)
{
	struct random random;

	random_init(&random, seed, 8);
	random_init(&decisions, seed, 9);
	points = program_alloc(POINT_COUNT * sizeof(*points));
	groups = program_alloc(GROUP_COUNT * sizeof(*groups));
	clustering = program_alloc(sizeof(*clustering));
	memset(clustering, 0, sizeof(*clustering));
	clustering->price = 1;
	for (unsigned i = 0; i < GROUP_COUNT; i++)
		for (unsigned d = 0; d < DIMENSIONS; d++)
			groups[i].at[d] = (float)random_between(&random, 0, 100);
	for (unsigned i = 0; i < POINT_COUNT; i++) {
		const struct point *group = &groups[random_below(&random, GROUP_COUNT)];

		for (unsigned d = 0; d < DIMENSIONS; d++)
			points[i].at[d] = group->at[d] + (float)random_normal(&random);
	}
}

static void clusters_run(void)
{
	for (unsigned i = 0; i < POINT_COUNT; i++)
		add_point(clustering, &points[i]);
}

static uint32_t clusters_checksum(void)
{
	return crc32_update(clustering->count, clustering, sizeof(*clustering));
}

static const struct program prog_clusters = {
	.ticks = true,
	.prepare = clusters_prepare,
	.run = clusters_run,
	.checksum = clusters_checksum,
};
PROGRAM(prog_clusters);
