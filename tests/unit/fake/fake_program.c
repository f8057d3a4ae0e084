/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_program.h"

#include <stdlib.h>

#include "tests/unit/unit.h"

uint32_t fake_output[FAKE_OUTPUT_MAX];
uint32_t fake_output_count;

/* What a run leaves, it may leave: the guest's heap is gone with the run. */
static void **left;
static size_t left_count;

void *program_alloc(size_t size)
{
	void *memory = malloc(size);

	assert_non_null(memory);
	left = realloc(left, ++left_count * sizeof(*left));
	assert_non_null(left);
	left[left_count - 1] = memory;
	return memory;
}

void program_output(uint32_t word)
{
	assert_true(fake_output_count < FAKE_OUTPUT_MAX);
	fake_output[fake_output_count++] = word;
}

const char *program_prepare(const struct guest_run *run)
{
	return NULL;
}

void program_run(const struct guest_run *run, const struct program *program)
{
}

uint32_t fake_program_run(const struct program *program, uint32_t seed)
{
	fake_output_count = 0;
	program->prepare(seed);
	program->run();
	return program->checksum();
}

void assert_near(double a, double b, double room)
{
	if (!(a - b < room && b - a < room))
		fail_msg("%g is not %g", a, b);
}

void assert_program_repeats(const struct program *program)
{
	uint32_t first = fake_program_run(program, 1);

	assert_int_equal(fake_program_run(program, 1), first);
	assert_int_not_equal(fake_program_run(program, 2), first);
	assert_int_not_equal(fake_program_run(program, 3), first);
	assert_int_equal(fake_program_run(program, 1), first);
}

void assert_checksums(const struct program *program, const uint32_t *checksums, unsigned count)
{
	for (unsigned i = 0; i <= count; i++) {
		uint32_t seed = i % count + 1; /* the first one again at the end */
		uint32_t checksum = fake_program_run(program, seed);

		if (checksum != checksums[seed - 1])
			fail_msg("seed %u: %#x, not %#x", seed, checksum, checksums[seed - 1]);
	}
}
