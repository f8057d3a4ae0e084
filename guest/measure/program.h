/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program is a whole computation as real programs contain, instead of one path. It shows the
 * share of time that exits take. A program is one file in guest/programs/ that ends in
 * PROGRAM(...), compiled with FP and SIMD registers and the C library; program_run() takes its
 * samples.
 */
#pragma once

#include <stddef.h>

#include "guest/measure/bench.h"

struct program {
	/* The program runs under the periodic tick of an operating system. */
	bool ticks;
	/* The program writes its results to a device by program_output(). */
	bool output;
	/* Make the input from the seed, before every run and outside the window. The memory of the
	 * last run is free again. */
	void (*prepare)(uint32_t seed);
	/* Compute. The window contains this call. */
	void (*run)(void);
	/* Return a checksum of every bit of the results, after every run and outside the window. */
	uint32_t (*checksum)(void);
};

/* The benchmark has the name of the object. */
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

/* The two functions of the benchmark. */
const char *program_prepare(const struct guest_run *run);
void program_run(const struct guest_run *run, const struct program *program);

/* Allocate memory for a program until the next prepare() or free(). Allocation never fails. */
void *program_alloc(size_t size);

/* Write a word of a program to the device. */
void program_output(uint32_t word);
