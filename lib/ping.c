/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ping.h"

#include <stdbool.h>
#include <string.h>

enum offset {
	TO = 0,
	FROM = 6,
	TYPE = 12,
	ARP = 14,
	ARP_OPERATION = 20,
	ARP_TARGET = 32,
	ARP_TARGET_IP = 38,
	ARP_END = 42,
	IP = 14,
	IP_LENGTH = 16,
	IP_FRAGMENT = 20,
	IP_TTL = 22,
	IP_PROTOCOL = 23,
	IP_SUM = 24,
	IP_SOURCE = 26,
	IP_TARGET = 30,
	ICMP = 34,
	ICMP_SUM = 36,
};

#define IP_HEADER (ICMP - IP)
#define TYPE_IP 0x0800u
#define TYPE_ARP 0x0806u
#define ARP_HEAD "\0\1\x08\0\6\4" /* Ethernet, IPv4, and the sizes of their addresses */
#define ARP_HEAD_SIZE 6u
#define ARP_REQUEST 1u
#define ARP_REPLY 2u
#define IP_VERSION 0x45u /* version 4, a header of 5 words without options */
#define IP_IS_FRAGMENT 0x3fffu
#define IP_ICMP 1u
#define TTL 64u
#define ECHO_REQUEST 8u
#define ECHO_REPLY 0u

static void put(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* Compute the checksum of RFC 1071. The result is 0 if the bytes contain their own checksum. */
static uint16_t checksum(const uint8_t *bytes, uint32_t size)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i + 1 < size; i += 2)
		sum += ping_u16(bytes + i);
	if (size % 2)
		sum += (uint32_t)bytes[size - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void put_ethernet(uint8_t *frame, const uint8_t *to, const uint8_t *from, uint32_t type)
{
	memcpy(frame + TO, to, PING_MAC_SIZE);
	memcpy(frame + FROM, from, PING_MAC_SIZE);
	put(frame + TYPE, type);
}

static uint32_t put_arp(const struct ping_host *host, const uint8_t *to, uint32_t operation,
			uint8_t *frame)
{
	put_ethernet(frame, to, host->mac, TYPE_ARP);
	memcpy(frame + ARP, ARP_HEAD, ARP_HEAD_SIZE);
	put(frame + ARP_OPERATION, operation);
	memcpy(frame + PING_ARP_SENDER, host, sizeof(*host));
	return ARP_END;
}

/*
 * Write an IPv4 header with `size` bytes of ICMP. Type, code and checksum of ICMP are added here.
 */
static uint32_t put_echo(uint8_t *frame, uint8_t type, const uint8_t *source, const uint8_t *target,
			 uint32_t size)
{
	memset(frame + IP, 0, IP_HEADER);
	frame[IP] = IP_VERSION;
	put(frame + IP_LENGTH, IP_HEADER + size);
	frame[IP_TTL] = TTL;
	frame[IP_PROTOCOL] = IP_ICMP;
	memcpy(frame + IP_SOURCE, source, PING_IP_SIZE);
	memcpy(frame + IP_TARGET, target, PING_IP_SIZE);
	put(frame + IP_SUM, checksum(frame + IP, IP_HEADER));
	memset(frame + ICMP, 0, PING_ECHO_ID - ICMP);
	frame[ICMP] = type;
	put(frame + ICMP_SUM, checksum(frame + ICMP, size));
	return ICMP + size;
}

static enum ping_kind read_arp(const struct ping_host *host, const uint8_t *frame, uint8_t *answer,
			       uint32_t *answer_size)
{
	uint16_t operation = ping_u16(frame + ARP_OPERATION);

	if (memcmp(frame + ARP, ARP_HEAD, ARP_HEAD_SIZE) != 0 ||
	    memcmp(frame + ARP_TARGET_IP, host->ip, PING_IP_SIZE) != 0)
		return PING_OTHER;
	if (operation == ARP_REPLY)
		return PING_ARP_ANSWER;
	if (operation != ARP_REQUEST)
		return PING_OTHER;
	*answer_size = put_arp(host, frame + PING_ARP_SENDER, ARP_REPLY, answer);
	memcpy(answer + ARP_TARGET, frame + PING_ARP_SENDER, sizeof(*host));
	return PING_REQUEST;
}

/*
 * Return the bytes of the ICMP message, or 0 if the frame has no echo message for this host.
 * `size`: received bytes of IPv4.
 */
static uint32_t echo_size(const struct ping_host *host, const uint8_t *frame, uint32_t size)
{
	uint32_t length = ping_u16(frame + IP_LENGTH);
	bool whole = length <= size && length >= IP_HEADER + PING_ECHO_PAYLOAD - ICMP;

	if (!whole || frame[IP] != IP_VERSION || frame[IP_PROTOCOL] != IP_ICMP ||
	    ping_u16(frame + IP_FRAGMENT) & IP_IS_FRAGMENT ||
	    memcmp(frame + IP_TARGET, host->ip, PING_IP_SIZE) != 0 ||
	    checksum(frame + IP, IP_HEADER) != 0 ||
	    checksum(frame + ICMP, length - IP_HEADER) != 0 || frame[ICMP + 1] != 0)
		return 0;
	return length - IP_HEADER;
}

enum ping_kind ping_read(const struct ping_host *host, const uint8_t *frame, uint32_t size,
			 uint8_t *answer, uint32_t *answer_size)
{
	uint32_t echo;

	if (size < PING_ECHO_PAYLOAD || size > PING_FRAME_MOST) /* ARP_END is as large */
		return PING_OTHER;
	if (ping_u16(frame + TYPE) == TYPE_ARP)
		return read_arp(host, frame, answer, answer_size);
	if (ping_u16(frame + TYPE) != TYPE_IP)
		return PING_OTHER;
	echo = echo_size(host, frame, size - IP);
	if (echo && frame[ICMP] == ECHO_REPLY)
		return PING_ECHO_ANSWER;
	if (!echo || frame[ICMP] != ECHO_REQUEST)
		return PING_OTHER;
	put_ethernet(answer, frame + FROM, host->mac, TYPE_IP);
	memcpy(answer + ICMP, frame + ICMP, echo);
	*answer_size = put_echo(answer, ECHO_REPLY, host->ip, frame + IP_SOURCE, echo);
	return PING_REQUEST;
}

uint32_t ping_ask(const struct ping_host *host, const uint8_t *ip, uint8_t *frame)
{
	static const uint8_t everyone[PING_MAC_SIZE] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	uint32_t size = put_arp(host, everyone, ARP_REQUEST, frame);

	memset(frame + ARP_TARGET, 0, PING_MAC_SIZE);
	memcpy(frame + ARP_TARGET_IP, ip, PING_IP_SIZE);
	return size;
}

uint32_t ping_echo(const struct ping_host *host, const struct ping_host *peer, uint16_t id,
		   uint16_t sequence, uint32_t payload, uint8_t *frame)
{
	put_ethernet(frame, peer->mac, host->mac, TYPE_IP);
	put(frame + PING_ECHO_ID, id);
	put(frame + PING_ECHO_SEQUENCE, sequence);
	return put_echo(frame, ECHO_REQUEST, host->ip, peer->ip,
			PING_ECHO_PAYLOAD - ICMP + payload);
}
