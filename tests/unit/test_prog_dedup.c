/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fake/fake_program.h"
#include "guest/programs/dedup.c"
#include "tests/unit/unit.h"

#define RESTORED_CHUNKS 1024u

/* Undoes the output. */
static struct {
	uint8_t data[INPUT_SIZE];
	uint32_t size;
	uint32_t start[RESTORED_CHUNKS], end[RESTORED_CHUNKS];
	uint32_t chunks; /* written out */
	uint32_t known;  /* references to them */
} restored;

static void restore_bytes(const uint8_t *data, uint32_t size)
{
	assert_true(restored.size + size <= INPUT_SIZE);
	for (uint32_t i = 0; i < size; i++) /* a match may reach into itself */
		restored.data[restored.size++] = data[i];
}

static void decompress(const uint8_t *packed, uint32_t size)
{
	uint32_t at = 0;

	while (at < size) {
		uint32_t head = packed[at++];

		if (head < 128) {
			restore_bytes(packed + at, head + 1);
			at += head + 1;
		} else {
			uint32_t distance = packed[at] | (uint32_t)packed[at + 1] << 8;

			assert_in_range(distance, 1, restored.size);
			restore_bytes(restored.data + restored.size - distance,
				      head - 128 + MATCH_MIN);
			at += 2;
		}
	}
	assert_int_equal(at, size);
}

/* Returns the number of words that were used. */
static uint32_t restore_chunk(const uint32_t *words)
{
	uint32_t size = *words >> 16, packed_size = *words & 0xffff;
	uint32_t start = restored.size;

	if (*words & OUTPUT_KNOWN) {
		uint32_t number = *words & ~OUTPUT_KNOWN;

		assert_true(number < restored.chunks);
		restored.known++;
		restore_bytes(restored.data + restored.start[number],
			      restored.end[number] - restored.start[number]);
		return 1;
	}
	decompress((const uint8_t *)(words + 1), packed_size);
	assert_int_equal(restored.size - start, size);
	restored.start[restored.chunks] = start;
	restored.end[restored.chunks++] = restored.size;
	return 1 + (packed_size + 3) / 4;
}

static void restore(uint32_t seed)
{
	memset(&restored, 0, sizeof(restored));
	fake_program_run(&prog_dedup, seed);
	for (uint32_t at = 0; at < fake_output_count;)
		at += restore_chunk(fake_output + at);
}

TEST(output_holds_the_input)
{
	for (uint32_t seed = 1; seed <= 5; seed++) {
		restore(seed);
		assert_int_equal(restored.size, INPUT_SIZE);
		assert_memory_equal(restored.data, input, INPUT_SIZE);
	}
}

TEST(no_chunk_is_written_twice)
{
	restore(1);
	for (uint32_t a = 0; a < restored.chunks; a++) {
		for (uint32_t b = 0; b < a; b++) {
			uint32_t size = restored.end[a] - restored.start[a];

			if (size == restored.end[b] - restored.start[b])
				assert_memory_not_equal(restored.data + restored.start[a],
							restored.data + restored.start[b], size);
		}
	}
}

TEST(output_is_smaller_than_the_input)
{
	restore(1);
	assert_true(restored.known > restored.chunks / 2);
	assert_true(fake_output_count * 4 < INPUT_SIZE / 3);
}

TEST(chunks_are_neither_short_nor_long)
{
	uint32_t chunks = 0;

	dedup_prepare(1);
	for (uint32_t at = 0; at < INPUT_SIZE; chunks++) {
		uint32_t size = find_cut(input + at, INPUT_SIZE - at);

		if (at + size < INPUT_SIZE)
			assert_in_range(size, CHUNK_MIN, CHUNK_MAX);
		at += size;
	}
	assert_in_range(chunks, INPUT_SIZE / 1024, INPUT_SIZE / 256);
}

/* A byte put in before them does not move the cuts in the content. */
TEST(cuts_follow_the_content)
{
	uint32_t first, cut;

	dedup_prepare(1);
	first = find_cut(input, INPUT_SIZE);
	cut = first + find_cut(input + first, INPUT_SIZE - first);
	memmove(input + 1, input, INPUT_SIZE - 1);
	assert_int_equal(find_cut(input, INPUT_SIZE), first + 1);
	assert_int_equal(first + 1 + find_cut(input + first + 1, INPUT_SIZE - first - 1), cut + 1);
}

TEST(repeats)
{
	assert_program_repeats(&prog_dedup);
}
