/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fluid of particles that falls in a box: smoothed-particle hydrodynamics (M. Müller, D.
 * Charypar, M. Gross, "Particle-Based Fluid Simulation for Interactive Applications", 2003) in the
 * plane, with a grid of cells to find neighbours. Single precision.
 * Proof: tests/qemu/test_programs.py.
 */
#include <math.h>
#include <string.h>

#include "guest/measure/program.h"
#include "guest/programs/distribution.h"
#include "lib/crc32.h"

#define PARTICLE_COUNT 225u
#define ROW 15u /* side of the square in which the particles begin */
#define STEP_COUNT 4u
#define STEP_SECONDS 0.001f

#define SPACING 0.02f
#define REACH 0.05f /* range of a particle's influence, and size of a cell */
#define CELLS 20    /* cells on a side of the box, whose length is 1 */
#define DENSITY 1000.0f
#define MASS (DENSITY * SPACING * SPACING)
#define STIFFNESS 20.0f
#define VISCOSITY 2.0f
#define PI 3.14159265f

struct vec {
	float x, y;
};

struct drop {
	struct vec at, velocity, force;
	float density;
};

static struct drop *drops;
static uint32_t *order;    /* particles sorted by cell */
static uint32_t *cell_end; /* end of each cell in `order`; a cell begins where the last one ends */
static struct vec gravity;

typedef void (*pair_function)(struct drop *drop, const struct drop *other, struct vec between,
			      float squared);

static unsigned clamp_cell(float position)
{
	int cell = (int)(position * CELLS);

	return (unsigned)(cell < 0 ? 0 : cell >= CELLS ? CELLS - 1 : cell);
}

static unsigned cell_of(const struct drop *drop)
{
	return clamp_cell(drop->at.y) * CELLS + clamp_cell(drop->at.x);
}

/* Sort the particles by cell: a counting sort. */
static void sort_into_cells(void)
{
	unsigned cell;

	memset(cell_end, 0, (CELLS * CELLS + 1) * sizeof(*cell_end));
	for (unsigned i = 0; i < PARTICLE_COUNT; i++)
		cell_end[cell_of(&drops[i]) + 1]++;
	for (cell = 1; cell <= CELLS * CELLS; cell++)
		cell_end[cell] += cell_end[cell - 1];
	for (unsigned i = 0; i < PARTICLE_COUNT; i++)
		order[cell_end[cell_of(&drops[i])]++] = i;
}

static void visit_cell(struct drop *drop, unsigned cell, pair_function visit)
{
	for (uint32_t i = cell ? cell_end[cell - 1] : 0; i < cell_end[cell]; i++) {
		const struct drop *other = &drops[order[i]];
		struct vec between = { drop->at.x - other->at.x, drop->at.y - other->at.y };
		float squared = between.x * between.x + between.y * between.y;

		if (squared < REACH * REACH)
			visit(drop, other, between, squared);
	}
}

/* Visit every particle in reach, including this one. */
static void visit_neighbours(struct drop *drop, pair_function visit)
{
	unsigned column = clamp_cell(drop->at.x), row = clamp_cell(drop->at.y);

	for (unsigned y = row ? row - 1 : 0; y <= row + 1 && y < CELLS; y++)
		for (unsigned x = column ? column - 1 : 0; x <= column + 1 && x < CELLS; x++)
			visit_cell(drop, y * CELLS + x, visit);
}

static void add_density(struct drop *drop, const struct drop *other, struct vec between,
			float squared)
{
	float reach8 = REACH * REACH * REACH * REACH * REACH * REACH * REACH * REACH;
	float near = REACH * REACH - squared;

	(void)other;
	(void)between;
	drop->density += MASS * 4 / (PI * reach8) * near * near * near;
}

/*
 * Pressure pushes two particles apart along the line between them; viscosity makes their speeds
 * more equal.
 */
static void add_force(struct drop *drop, const struct drop *other, struct vec between,
		      float squared)
{
	float distance = sqrtf(squared);
	float near = REACH - distance;
	float kernel = MASS / (PI * REACH * REACH * REACH * REACH * REACH);
	float pressure = STIFFNESS * (drop->density + other->density - 2 * DENSITY) / 2;
	float push, drag;

	if (drop == other || distance < 1e-6f)
		return;
	push = 30 * kernel * pressure * near * near / (other->density * distance);
	drag = 40 * kernel * VISCOSITY * near / other->density;
	drop->force.x += push * between.x + drag * (other->velocity.x - drop->velocity.x);
	drop->force.y += push * between.y + drag * (other->velocity.y - drop->velocity.y);
}

/* A wall returns half of the speed. */
static void bounce(float *at, float *velocity)
{
	float wall = *at < 0 ? 0.0f : 1.0f;

	if (*at < 0 || *at > 1) {
		*at = wall;
		*velocity *= -0.5f;
	}
}

static void move(struct drop *drop)
{
	drop->velocity.x += STEP_SECONDS * (drop->force.x / drop->density + gravity.x);
	drop->velocity.y += STEP_SECONDS * (drop->force.y / drop->density + gravity.y);
	drop->at.x += STEP_SECONDS * drop->velocity.x;
	drop->at.y += STEP_SECONDS * drop->velocity.y;
	bounce(&drop->at.x, &drop->velocity.x);
	bounce(&drop->at.y, &drop->velocity.y);
}

static void step(void)
{
	sort_into_cells();
	for (unsigned i = 0; i < PARTICLE_COUNT; i++) {
		drops[i].density = 0;
		visit_neighbours(&drops[i], add_density);
	}
	for (unsigned i = 0; i < PARTICLE_COUNT; i++) {
		drops[i].force = (struct vec){ 0, 0 };
		visit_neighbours(&drops[i], add_force);
	}
	for (unsigned i = 0; i < PARTICLE_COUNT; i++)
		move(&drops[i]);
}

static void fluid_prepare(uint32_t seed)
{
	struct random random;

	random_init(&random, seed, 6);
	drops = program_alloc(PARTICLE_COUNT * sizeof(*drops));
	order = program_alloc(PARTICLE_COUNT * sizeof(*order));
	cell_end = program_alloc((CELLS * CELLS + 1) * sizeof(*cell_end));
	gravity = (struct vec){ 0, -9.81f };
	for (unsigned i = 0; i < PARTICLE_COUNT; i++) {
		drops[i] = (struct drop){ .at = { 0.3f + SPACING * (float)(i % ROW),
						  0.1f + SPACING * (float)(i / ROW) } };
		drops[i].at.x += (float)random_between(&random, -0.002, 0.002);
		drops[i].at.y += (float)random_between(&random, -0.002, 0.002);
	}
}

static void fluid_run(void)
{
	for (unsigned i = 0; i < STEP_COUNT; i++)
		step();
}

static uint32_t fluid_checksum(void)
{
	return crc32_update(0, drops, PARTICLE_COUNT * sizeof(*drops));
}

static const struct program prog_fluid = {
	.ticks = true,
	.prepare = fluid_prepare,
	.run = fluid_run,
	.checksum = fluid_checksum,
};
PROGRAM(prog_fluid);
