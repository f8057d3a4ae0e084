/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program: not one path but a whole computation of a kind that real programs contain, to show
 * the share of its time that exits take. One file in guest/programs/ that ends in PROGRAM(...),
 * compiled with FP and SIMD registers and the C library; program_run() takes its samples.
 */
#pragma once

#include <stddef.h>

#include "guest/measure/bench.h"

struct program {
	/* The program runs under the periodic tick of an operating system. */
	bool ticks;
	/* The program writes its results to a device: program_output(). */
	bool output;
	/* Make the input from the seed: before every run, outside the window. The memory of the
	 * last run is free. */
	void (*prepare)(uint32_t seed);
	/* The window. */
	void (*run)(void);
	/* The checksum of all results, to the bit: after every run, outside the window. */
	uint32_t (*checksum)(void);
};

/* The benchmark's name is the object's. */
#define PROGRAM(object)                                                                            \
	static void object##_run(const struct guest_run *run)                                      \
	{                                                                                          \
		program_run(run, &(object));                                                       \
	}                                                                                          \
	static const struct bench object##_bench = {                                               \
		.name = #object,                                                                   \
		.prepare = program_prepare,                                                        \
		.run = object##_run,                                                               \
	};                                                                                         \
	BENCH(object##_bench)

/* The benchmark's two functions. */
const char *program_prepare(const struct guest_run *run);
void program_run(const struct guest_run *run, const struct program *program);

/* For programs. Memory until the next prepare(), or until free(); there is always some. */
void *program_alloc(size_t size);

/* For programs: a word to the device. */
void program_output(uint32_t word);
