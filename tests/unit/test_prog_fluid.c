/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fake/fake_program.h"
#include "guest/programs/fluid.c"
#include "tests/unit/unit.h"

static float squared_distance(const struct drop *a, const struct drop *b)
{
	float x = a->at.x - b->at.x, y = a->at.y - b->at.y;

	return x * x + y * y;
}

static unsigned visited;

static void count_visit(struct drop *drop, const struct drop *other, struct vec between,
			float squared)
{
	assert_true(squared == squared_distance(drop, other));
	visited++;
}

TEST(grid_finds_every_neighbour)
{
	unsigned near = 0;

	fake_program_run(&prog_fluid, 1);
	sort_into_cells();
	visited = 0;
	for (unsigned i = 0; i < PARTICLE_COUNT; i++) {
		for (unsigned k = 0; k < PARTICLE_COUNT; k++)
			near += squared_distance(&drops[i], &drops[k]) < REACH * REACH;
		visit_neighbours(&drops[i], count_visit);
	}
	assert_int_equal(visited, near);
	assert_true(near > PARTICLE_COUNT * 10);
}

/* Inside of the square, where a particle has neighbours on all sides. */
TEST(density_is_that_of_the_fluid)
{
	struct drop *middle;

	fluid_prepare(1);
	step();
	middle = &drops[ROW * (ROW / 2) + ROW / 2];
	assert_true(fabsf(middle->density - DENSITY) < 0.1f * DENSITY);
	assert_true(drops[0].density < 0.8f * DENSITY);
}

/* Between particles there is no gravity, and for each force one against it. */
TEST(momentum_is_kept)
{
	double x = 0, y = 0, sum = 0;

	fluid_prepare(1);
	gravity = (struct vec){ 0, 0 };
	for (unsigned i = 0; i < STEP_COUNT; i++) {
		step();
		for (unsigned k = 0; k < PARTICLE_COUNT; k++) {
			/* a force is per volume, and the particles' volumes differ */
			x += drops[k].force.x / drops[k].density;
			y += drops[k].force.y / drops[k].density;
			sum += fabs((double)drops[k].force.y / drops[k].density);
		}
	}
	assert_true(sum > 1);
	assert_true(fabs(x) < 1e-4 * sum);
	assert_true(fabs(y) < 1e-4 * sum);
}

TEST(fluid_falls_until_it_lies)
{
	double speed = 0;

	fake_program_run(&prog_fluid, 1);
	for (unsigned i = 0; i < PARTICLE_COUNT; i++)
		speed += (double)drops[i].velocity.y / PARTICLE_COUNT;
	assert_near(speed, -9.81 * STEP_COUNT * (double)STEP_SECONDS, 1e-4);
	for (unsigned i = 0; i < 1000; i++)
		step();
	for (unsigned i = 0; i < PARTICLE_COUNT; i++) {
		assert_true(drops[i].at.x >= 0 && drops[i].at.x <= 1);
		assert_true(drops[i].at.y >= 0 && drops[i].at.y <= 1);
		assert_true(fabsf(drops[i].velocity.y) < 3);
	}
}

TEST(repeats)
{
	assert_program_repeats(&prog_fluid);
}
