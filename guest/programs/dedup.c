/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deduplication: cut the input at places that its content chooses, recognize a chunk by its
 * fingerprint, and write each chunk once, compressed, word by word to a device. Integers, a hash
 * table, and the only program with output.
 *
 * The output of a new chunk is a word (bytes << 16 | bytes compressed) and the compressed bytes,
 * padded to words. The output of a known chunk is the word OUTPUT_KNOWN | its number.
 * Proof: tests/qemu/test_programs.py.
 */
#include <string.h>

#include "guest/measure/program.h"
#include "lib/crc32.h"
#include "lib/random.h"

#define INPUT_SIZE 49152u
#define CHUNK_MIN 64u
#define CHUNK_MAX 2048u
#define CUT_MASK 0xff000000u /* eight bits of the hash: 256 bytes more on average */
#define BUCKET_COUNT 256u
#define OUTPUT_KNOWN 0x80000000u
#define OUTPUT_MAX INPUT_SIZE /* words: more than any output has */

#define SEGMENT_SIZE 4096u
#define SEGMENT_COUNT 4u
#define WORD_COUNT 24u /* number of words in the vocabulary of the segments */

#define MATCH_MIN 4u
#define MATCH_MAX 131u
#define LITERALS_MAX 128u
#define PACKED_MAX (CHUNK_MAX + CHUNK_MAX / LITERALS_MAX + 4)

struct chunk {
	struct chunk *next; /* next chunk of the bucket */
	uint64_t fingerprint;
	const uint8_t *data;
	uint32_t size;
	uint32_t number;
};

static uint8_t *input;
static uint32_t gear[256]; /* a random number for each value of a byte */
static struct chunk *bucket[BUCKET_COUNT];
static uint32_t chunk_count;
static uint32_t *output;
static uint32_t output_count;

/* Find a cut by a hash of the last 32 bytes; older bytes have been shifted out: "gear" (W. Xia et
 * al., "Ddelta", 2014). */
static uint32_t find_cut(const uint8_t *data, uint32_t size)
{
	uint32_t limit = size < CHUNK_MAX ? size : CHUNK_MAX;
	uint32_t hash = 0;

	for (uint32_t i = 0; i < limit; i++) {
		hash = (hash << 1) + gear[data[i]];
		if (i >= CHUNK_MIN && (hash & CUT_MASK) == 0)
			return i + 1;
	}
	return limit;
}

/* Return the FNV-1a hash, 64 bits. */
static uint64_t fingerprint_of(const uint8_t *data, uint32_t size)
{
	uint64_t hash = 14695981039346656037u;

	for (uint32_t i = 0; i < size; i++)
		hash = (hash ^ data[i]) * 1099511628211u;
	return hash;
}

static struct chunk *find_chunk(uint64_t fingerprint, const uint8_t *data, uint32_t size)
{
	struct chunk *chunk = bucket[fingerprint % BUCKET_COUNT];

	while (chunk && (chunk->fingerprint != fingerprint || chunk->size != size ||
			 memcmp(chunk->data, data, size) != 0))
		chunk = chunk->next;
	return chunk;
}

static uint32_t key_of(const uint8_t *data)
{
	uint32_t word;

	memcpy(&word, data, sizeof(word));
	return word * 2654435761u >> 24;
}

static uint32_t match_length(const uint8_t *a, const uint8_t *b, uint32_t limit)
{
	uint32_t length = 0;

	while (length < limit && length < MATCH_MAX && a[length] == b[length])
		length++;
	return length;
}

static uint32_t put_literals(uint8_t *to, const uint8_t *data, uint32_t count)
{
	uint32_t written = 0;

	while (count) {
		uint32_t part = count < LITERALS_MAX ? count : LITERALS_MAX;

		to[written++] = (uint8_t)(part - 1);
		memcpy(to + written, data, part);
		written += part;
		data += part;
		count -= part;
	}
	return written;
}

/* Compress by Lempel-Ziv with one candidate: the last position of the same four bytes. A byte below
 * 128 precedes that many literals plus one; other bytes give the length of a match, and the next
 * two its distance. */
static uint32_t compress(const uint8_t *data, uint32_t size, uint8_t *to)
{
	uint16_t last[256] = { 0 }; /* position + 1 */
	uint32_t written = 0, literal = 0, at = 0;

	while (at + MATCH_MIN <= size) {
		uint32_t key = key_of(data + at);
		uint32_t candidate = last[key], length = 0;

		last[key] = (uint16_t)(at + 1);
		if (candidate)
			length = match_length(data + candidate - 1, data + at, size - at);
		if (length < MATCH_MIN) {
			at++;
			continue;
		}
		written += put_literals(to + written, data + literal, at - literal);
		to[written++] = (uint8_t)(128 + length - MATCH_MIN);
		to[written++] = (uint8_t)(at + 1 - candidate);
		to[written++] = (uint8_t)((at + 1 - candidate) >> 8);
		at += length;
		literal = at;
	}
	return written + put_literals(to + written, data + literal, size - literal);
}

static void put(uint32_t word)
{
	output[output_count++] = word;
	program_output(word);
}

static void write_chunk(const uint8_t *data, uint32_t size)
{
	static uint8_t packed[PACKED_MAX + 4];
	uint32_t packed_size = compress(data, size, packed);

	memset(packed + packed_size, 0, 4);
	put(size << 16 | packed_size);
	for (uint32_t i = 0; i < packed_size; i += 4) {
		uint32_t word;

		memcpy(&word, packed + i, 4);
		put(word);
	}
}

static void add_chunk(const uint8_t *data, uint32_t size)
{
	uint64_t fingerprint = fingerprint_of(data, size);
	struct chunk *chunk = find_chunk(fingerprint, data, size);
	struct chunk **home = &bucket[fingerprint % BUCKET_COUNT];

	if (chunk) {
		put(OUTPUT_KNOWN | chunk->number);
		return;
	}
	chunk = program_alloc(sizeof(*chunk));
	*chunk = (struct chunk){ *home, fingerprint, data, size, chunk_count++ };
	*home = chunk;
	write_chunk(data, size);
}

static void dedup_run(void)
{
	uint32_t at = 0;

	while (at < INPUT_SIZE) {
		uint32_t size = find_cut(input + at, INPUT_SIZE - at);

		add_chunk(input + at, size);
		at += size;
	}
}

/* Write words of three to ten letters, one after the other. */
static void write_segment(uint8_t *segment, uint8_t words[WORD_COUNT][10], struct random *random)
{
	for (uint32_t at = 0; at < SEGMENT_SIZE;) {
		const uint8_t *word = words[random_below(random, WORD_COUNT)];
		uint32_t size = 3 + word[0] % 8u;

		for (uint32_t i = 0; i < size && at < SEGMENT_SIZE; i++)
			segment[at++] = word[i];
	}
}

/* Write the segments repeatedly in random order, with one changed byte in one of four. */
static void write_input(struct random *random)
{
	uint8_t(*segments)[SEGMENT_SIZE] = program_alloc(SEGMENT_COUNT * SEGMENT_SIZE);
	uint8_t words[WORD_COUNT][10];

	for (unsigned i = 0; i < sizeof(words); i++)
		words[i / 10][i % 10] = (uint8_t)('a' + random_below(random, 26));
	for (unsigned i = 0; i < SEGMENT_COUNT; i++)
		write_segment(segments[i], words, random);
	for (uint32_t at = 0; at < INPUT_SIZE; at += SEGMENT_SIZE) {
		memcpy(input + at, segments[random_below(random, SEGMENT_COUNT)], SEGMENT_SIZE);
		if (random_below(random, 4) == 0)
			input[at + random_below(random, SEGMENT_SIZE)] ^= 1;
	}
}

static void dedup_prepare(uint32_t seed)
{
	struct random random;

	random_init(&random, seed, 4);
	input = program_alloc(INPUT_SIZE);
	output = program_alloc(OUTPUT_MAX * sizeof(*output));
	output_count = 0;
	chunk_count = 0;
	memset(bucket, 0, sizeof(bucket));
	for (unsigned i = 0; i < 256; i++)
		gear[i] = random_next(&random);
	write_input(&random);
}

static uint32_t dedup_checksum(void)
{
	return crc32_update(chunk_count, output, output_count * sizeof(*output));
}

static const struct program prog_dedup = {
	.ticks = true,
	.output = true,
	.prepare = dedup_prepare,
	.run = dedup_run,
	.checksum = dedup_checksum,
};
PROGRAM(prog_dedup);
