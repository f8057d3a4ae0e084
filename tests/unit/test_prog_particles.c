/* SPDX-License-Identifier: Apache-2.0 */

#include "fake/fake_program.h"
#include "guest/programs/particles.c"
#include "tests/unit/unit.h"

/* Mean square of the distances. */
static double error_of(const struct point *points)
{
	double sum = 0;

	for (unsigned i = 0; i < STEP_COUNT; i++) {
		double dx = points[i].x - track->truth[i].x;
		double dy = points[i].y - track->truth[i].y;

		sum += (dx * dx + dy * dy) / STEP_COUNT;
	}
	return sum;
}

TEST(estimates_are_better_than_observations)
{
	double observed = 0, estimated = 0;

	for (uint32_t seed = 1; seed <= 10; seed++) {
		fake_program_run(&prog_particles, seed);
		observed += error_of(track->observed);
		estimated += error_of(track->estimate);
	}
	assert_near(observed / 10, 2 * OBSERVATION_NOISE * OBSERVATION_NOISE, 0.5);
	assert_true(estimated < observed * 0.7);
}

TEST(weights_add_up)
{
	double sum = 0;

	particles_prepare(1);
	weigh((struct point){ 0.5, -0.5 });
	for (unsigned i = 0; i < PARTICLE_COUNT; i++)
		sum += weights[i];
	assert_near(sum, 1, 1e-12);
}

/* As often as its weight says, but for one. */
TEST(heavy_particle_is_drawn_often)
{
	unsigned count = 0;

	particles_prepare(1);
	for (unsigned i = 0; i < PARTICLE_COUNT; i++)
		weights[i] = 0.5 / (PARTICLE_COUNT - 1);
	weights[7] = 0.5;
	particles[7].at.x = 1e6;
	draw_again();
	for (unsigned i = 0; i < PARTICLE_COUNT; i++)
		count += particles[i].at.x > 1e5;
	assert_in_range(count, PARTICLE_COUNT / 2 - 1, PARTICLE_COUNT / 2 + 1);
}

TEST(repeats)
{
	assert_program_repeats(&prog_particles);
}
