/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program of guest/programs/ asks of the guest, on the host. A test includes the program's
 * source, to reach its parts.
 */
#pragma once

#include "guest/program.h"

#define FAKE_OUTPUT_MAX 65536u

/* Every word that went to program_output(), since fake_program_run(). */
extern uint32_t fake_output[FAKE_OUTPUT_MAX];
extern uint32_t fake_output_count;

/* One run: its checksum. */
uint32_t fake_program_run(const struct program *program, uint32_t seed);

/* Fails unless the two are less than `room` apart. */
void assert_near(double a, double b, double room);

/* Fails unless two runs with a seed give one checksum, and runs with others other ones. */
void assert_program_repeats(const struct program *program);

/* Fails unless seed i + 1 gives checksums[i], and the first seed its checksum again after the
 * others: for programs whose results are the same on every host. */
void assert_checksums(const struct program *program, const uint32_t *checksums, unsigned count);
