/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host that pings and answers a ping: ARP (RFC 826) and ICMP echo (RFC 792) over IPv4 (RFC 791)
 * on Ethernet, without options and fragments. A received frame is untrusted: each length is checked
 * before it is used.
 */
#pragma once

#include <stdint.h>

#define PING_MAC_SIZE 6u
#define PING_IP_SIZE 4u
#define PING_FRAME_MOST 1514u /* bytes */

/* Offsets in a frame with an echo message. */
#define PING_ECHO_ID 38u
#define PING_ECHO_SEQUENCE 40u
#define PING_ECHO_PAYLOAD 42u
/* Offsets in a frame with an ARP message. */
#define PING_ARP_SENDER 22u

struct ping_host {
	uint8_t mac[PING_MAC_SIZE], ip[PING_IP_SIZE]; /* the order is that of ARP */
};

enum ping_kind {
	PING_OTHER,      /* ignore the frame: another host's, or malformed */
	PING_REQUEST,    /* a request by ARP or ICMP that has an answer */
	PING_ARP_ANSWER, /* PING_ARP_SENDER is the offset of a struct ping_host */
	PING_ECHO_ANSWER,
};

/* Read a frame of `size` bytes that `host` received. For a request, write the answer of
 * *answer_size bytes to `answer`, which has room for PING_FRAME_MOST. */
enum ping_kind ping_read(const struct ping_host *host, const uint8_t *frame, uint32_t size,
			 uint8_t *answer, uint32_t *answer_size);

/* Write the ARP request for the MAC address of `ip`. Return its size in bytes. */
uint32_t ping_ask(const struct ping_host *host, const uint8_t *ip, uint8_t *frame);

/* Write an echo request with the `payload` bytes that are already at PING_ECHO_PAYLOAD. Return its
 * size in bytes, at most PING_FRAME_MOST. */
uint32_t ping_echo(const struct ping_host *host, const struct ping_host *peer, uint16_t id,
		   uint16_t sequence, uint32_t payload, uint8_t *frame);

static inline uint16_t ping_u16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}
