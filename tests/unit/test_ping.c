/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ARP and ICMP echo frames: which are answered, and which are ignored. */
#include <stdlib.h>
#include <string.h>

#include "lib/ping.h"
#include "tests/unit/unit.h"

static const struct ping_host us = { { 2, 'h', 'y', 'p', 0, 1 }, { 10, 0, 0, 1 } };
static const struct ping_host them = { { 2, 'h', 'y', 'p', 0, 2 }, { 10, 0, 0, 2 } };

/* Written by hand: 10.0.0.2 asks who has 10.0.0.1, and the answer. */
static const uint8_t arp_request[] = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 'h', 'y', 'p', 0, 2, 8, 6, 0, 1, 8, 0,  6, 4, 0,
	1,    2,    'h',  'y',  'p',  0,    2, 10,  0,   0,   2, 0, 0, 0, 0, 0, 0, 10, 0, 0, 1,
};
static const uint8_t arp_reply[] = {
	2, 'h', 'y', 'p', 0,   2, 2, 'h', 'y', 'p', 0, 1, 8,   6,   0,   1, 8, 0,  6, 4, 0,
	2, 2,   'h', 'y', 'p', 0, 1, 10,  0,   0,   1, 2, 'h', 'y', 'p', 0, 2, 10, 0, 0, 2,
};

/* Written by hand: IPv4 with id 0x1234 and DF, ICMP echo, id 7, sequence 9, payload abc (an odd
 * size). The checksums were computed with Python from the same words. */
static const uint8_t echo_request[] = {
	2,  'h', 'y', 'p',  0,    1,    2,    'h',  'y', 'p',  0,    2,  8,   0,   0x45,
	0,  0,   31,  0x12, 0x34, 0x40, 0,    64,   1,   0x14, 0xa8, 10, 0,   0,   2,
	10, 0,   0,   1,    8,    0,    0x33, 0x8d, 0,   7,    0,    9,  'a', 'b', 'c',
};

static uint8_t answer[PING_FRAME_MOST];
static uint32_t answer_size;

/* Read the frame from a block of memory of the same size, so that the sanitizer reports a read
 * after its end. */
static enum ping_kind read_copy(const struct ping_host *host, const uint8_t *frame, uint32_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	enum ping_kind kind;

	memcpy(copy, frame, size);
	answer_size = 0;
	kind = ping_read(host, size ? copy : copy + 1, size, answer, &answer_size);
	free(copy);
	return kind;
}

TEST(test_an_arp_request_is_answered)
{
	assert_int_equal(read_copy(&us, arp_request, sizeof(arp_request)), PING_REQUEST);
	assert_int_equal(answer_size, sizeof(arp_reply));
	assert_memory_equal(answer, arp_reply, sizeof(arp_reply));
	assert_int_equal(read_copy(&them, arp_reply, sizeof(arp_reply)), PING_ARP_ANSWER);
	assert_memory_equal(arp_reply + PING_ARP_SENDER, &us, sizeof(us));
	assert_int_equal(read_copy(&them, arp_request, sizeof(arp_request)), PING_OTHER);
}

TEST(test_what_this_host_asks)
{
	uint8_t frame[PING_FRAME_MOST];

	assert_int_equal(ping_ask(&them, us.ip, frame), sizeof(arp_request));
	assert_memory_equal(frame, arp_request, sizeof(arp_request));
}

TEST(test_an_echo_request_is_answered)
{
	uint8_t frame[PING_FRAME_MOST], sent[PING_FRAME_MOST];

	assert_int_equal(read_copy(&us, echo_request, sizeof(echo_request)), PING_REQUEST);
	assert_int_equal(answer_size, sizeof(echo_request));
	memcpy(frame, answer, answer_size);
	assert_int_equal(read_copy(&them, frame, sizeof(echo_request)), PING_ECHO_ANSWER);
	assert_int_equal(ping_u16(frame + PING_ECHO_ID), 7);
	assert_int_equal(ping_u16(frame + PING_ECHO_SEQUENCE), 9);
	assert_memory_equal(frame + PING_ECHO_PAYLOAD, "abc", 3);

	memcpy(sent + PING_ECHO_PAYLOAD, "abc", 3);
	assert_int_equal(ping_echo(&them, &us, 7, 9, 3, sent), sizeof(echo_request));
	assert_int_equal(read_copy(&us, sent, sizeof(echo_request)), PING_REQUEST);
	assert_memory_equal(answer, frame, sizeof(echo_request));
}

/* Ethernet pads short frames, and any frame may be padded. */
TEST(test_bytes_after_the_packet_are_no_part_of_it)
{
	uint8_t padded[60] = { 0 };

	memcpy(padded, echo_request, sizeof(echo_request));
	padded[sizeof(echo_request)] = 0xaa;
	assert_int_equal(read_copy(&us, padded, sizeof(padded)), PING_REQUEST);
	assert_int_equal(answer_size, sizeof(echo_request));
}

TEST(test_the_longest_frame_is_answered_and_no_longer_one)
{
	uint8_t frame[PING_FRAME_MOST + 1] = { 0 };
	uint32_t size = ping_echo(&them, &us, 1, 1, PING_FRAME_MOST - PING_ECHO_PAYLOAD, frame);

	assert_int_equal(size, PING_FRAME_MOST);
	assert_int_equal(read_copy(&us, frame, size), PING_REQUEST);
	assert_int_equal(answer_size, PING_FRAME_MOST);
	assert_int_equal(read_copy(&us, frame, size + 1), PING_OTHER);
}

TEST(test_a_frame_that_is_cut_is_ignored)
{
	for (uint32_t size = 0; size < sizeof(arp_request); size++)
		assert_int_equal(read_copy(&us, arp_request, size), PING_OTHER);
	for (uint32_t size = 0; size < sizeof(echo_request); size++)
		assert_int_equal(read_copy(&us, echo_request, size), PING_OTHER);
}

/* A checksum or a check of its own covers each byte except the MAC addresses. The addresses in an
 * ARP message are up to its sender. */
TEST(test_an_echo_request_with_any_other_bit_is_ignored)
{
	for (uint32_t bit = 8 * 12; bit < 8 * sizeof(echo_request); bit++) {
		uint8_t frame[sizeof(echo_request)];

		memcpy(frame, echo_request, sizeof(frame));
		frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(read_copy(&us, frame, sizeof(frame)), PING_OTHER);
	}
}

/* These frames have right checksums but must not be answered. */
TEST(test_fragments_options_and_other_messages_are_ignored)
{
	static const struct {
		uint8_t at, value, sum_at;
		uint16_t less; /* decrease of the checksum for the larger word */
	} changes[] = {
		{ 14, 0x46, 24, 0x100 },  /* a word of options */
		{ 20, 0x60, 24, 0x2000 }, /* more fragments follow */
		{ 21, 0x01, 24, 0x1 },    /* a later fragment */
		{ 23, 17, 24, 16 },       /* UDP */
		{ 33, 3, 24, 2 },         /* 10.0.0.3 */
		{ 34, 13, 36, 0x500 },    /* a timestamp request */
		{ 35, 1, 36, 1 },         /* a code */
	};

	for (uint32_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		uint8_t frame[sizeof(echo_request)];
		uint8_t *sum;
		uint32_t less;

		memcpy(frame, echo_request, sizeof(frame));
		frame[changes[i].at] = changes[i].value;
		sum = frame + changes[i].sum_at;
		less = (uint32_t)ping_u16(sum) + 0xffff - changes[i].less;
		less = (less & 0xffff) + (less >> 16);
		sum[0] = (uint8_t)(less >> 8);
		sum[1] = (uint8_t)less;
		assert_int_equal(read_copy(&us, frame, sizeof(frame)), PING_OTHER);
	}
}
