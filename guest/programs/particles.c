/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A particle filter follows a target in the plane through noisy observations (N. Gordon, D.
 * Salmond, A. Smith, "Novel approach to nonlinear/non-Gaussian Bayesian state estimation", 1993).
 * Every particle is a guess that moves; the next observation gives it a weight, and particles are
 * resampled by weight.
 * Proof: tests/qemu/test_programs.py.
 */
#include "guest/measure/program.h"
#include "guest/programs/distribution.h"
#include "lib/crc32.h"

#define PARTICLE_COUNT 128u
#define STEP_COUNT 24u
#define OBSERVATION_NOISE 1.0
#define ACCELERATION_NOISE 0.1

struct point {
	double x, y;
};

struct body {
	struct point at, velocity;
};

/* One position and one observation for each step. */
struct track {
	struct point truth[STEP_COUNT], observed[STEP_COUNT], estimate[STEP_COUNT];
};

static struct track *track;
static struct body *particles, *drawn;
static double *weights;
static struct random noise;

static void body_move(struct body *body, struct random *random)
{
	body->velocity.x += ACCELERATION_NOISE * random_normal(random);
	body->velocity.y += ACCELERATION_NOISE * random_normal(random);
	body->at.x += body->velocity.x;
	body->at.y += body->velocity.y;
}

static struct point blurred(struct point p, double deviation, struct random *random)
{
	return (struct point){
		.x = p.x + deviation * random_normal(random),
		.y = p.y + deviation * random_normal(random),
	};
}

/* Compute the likelihood of the observation for each particle, and normalize the sum to 1. */
static void weigh(struct point observed)
{
	double sum = 0;

	for (unsigned i = 0; i < PARTICLE_COUNT; i++) {
		double dx = particles[i].at.x - observed.x;
		double dy = particles[i].at.y - observed.y;
		double variance = OBSERVATION_NOISE * OBSERVATION_NOISE;

		weights[i] = exp(-(dx * dx + dy * dy) / (2 * variance)) + 1e-300;
		sum += weights[i];
	}
	for (unsigned i = 0; i < PARTICLE_COUNT; i++)
		weights[i] /= sum;
}

static struct point weighted_mean(void)
{
	struct point mean = { 0, 0 };

	for (unsigned i = 0; i < PARTICLE_COUNT; i++) {
		mean.x += weights[i] * particles[i].at.x;
		mean.y += weights[i] * particles[i].at.y;
	}
	return mean;
}

/*
 * Resample systematically: evenly spaced points on the line of all weights, with one random offset.
 */
static void draw_again(void)
{
	double position = random_unit(&noise) / PARTICLE_COUNT;
	double reached = weights[0];
	struct body *old = particles;
	unsigned from = 0;

	for (unsigned i = 0; i < PARTICLE_COUNT; i++) {
		while (reached < position && from < PARTICLE_COUNT - 1)
			reached += weights[++from];
		drawn[i] = particles[from];
		position += 1.0 / PARTICLE_COUNT;
	}
	particles = drawn;
	drawn = old;
}

static void simulate_target(struct random *random)
{
	struct body target = { .at = { 0, 0 }, .velocity = { 1, 0.5 } };

	for (unsigned i = 0; i < STEP_COUNT; i++) {
		body_move(&target, random);
		track->truth[i] = target.at;
		track->observed[i] = blurred(target.at, OBSERVATION_NOISE, random);
	}
}

static void particles_prepare(uint32_t seed)
{
	struct random random;

	random_init(&random, seed, 2);
	random_init(&noise, seed, 3);
	track = program_alloc(sizeof(*track));
	particles = program_alloc(PARTICLE_COUNT * sizeof(*particles));
	drawn = program_alloc(PARTICLE_COUNT * sizeof(*drawn));
	weights = program_alloc(PARTICLE_COUNT * sizeof(*weights));
	simulate_target(&random);
	for (unsigned i = 0; i < PARTICLE_COUNT; i++) {
		particles[i].at = blurred((struct point){ 0, 0 }, 1, &random);
		particles[i].velocity = blurred((struct point){ 0, 0 }, 1, &random);
	}
}

static void particles_run(void)
{
	for (unsigned step = 0; step < STEP_COUNT; step++) {
		for (unsigned i = 0; i < PARTICLE_COUNT; i++)
			body_move(&particles[i], &noise);
		weigh(track->observed[step]);
		track->estimate[step] = weighted_mean();
		draw_again();
	}
}

static uint32_t particles_checksum(void)
{
	return crc32_update(0, track->estimate, sizeof(track->estimate));
}

static const struct program prog_particles = {
	.ticks = true,
	.prepare = particles_prepare,
	.run = particles_run,
	.checksum = particles_checksum,
};
PROGRAM(prog_particles);
