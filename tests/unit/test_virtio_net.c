/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the network device of a link: its registers, frames in any pieces between two
 * well-behaved drivers, and hostile drivers. Whatever a guest writes to its queues and registers,
 * its device changes no byte outside the guest's RAM, no exit is endless, and no frame is counted
 * twice.
 */
/* LINK: hyp/dev/virtio_net.c hyp/mem/guest_ram.c */
#include <string.h>

#include "hyp/arch/guest.h"
#include "hyp/dev/virtio_net.h"
#include "hyp/vm/vm.h"
#include "tests/unit/unit.h"

#define RAM 0x40000000u /* IPA */
#define RAM_SIZE 0x4000u
#define WINDOW 0x20000u /* memory that RAM with two colours spans */
#define GUARD 0x1000u
#define HEADER ((uint32_t)sizeof(struct virtio_net_header))
#define QUEUE_SIZE 8u
#define STEPS 20000u

enum { A, B, ENDS };

/* Offsets of a driver's queues in its RAM, and of the buffers after them */
#define DESCRIPTORS(which) ((which)*0x800u)
#define AVAILABLE(which) ((which)*0x800u + 0x400u)
#define USED(which) ((which)*0x800u + 0x600u)
#define BUFFERS 0x1000u
#define BUFFER_SIZE 0x600u

static struct {
	uint8_t before[GUARD];
	uint8_t ram[WINDOW] __attribute__((aligned(4096))); /* without colours only RAM_SIZE */
	uint8_t after[GUARD];
} memory[ENDS];
static struct vm_machine machine[ENDS];
static struct vm vm[ENDS];
static struct virtio_net net[ENDS];
static struct lock cable;
static struct mmio_region region[ENDS];
static struct vcpu vcpu;
static bool kicked[ENDS], interrupted[ENDS];
static unsigned pulses;
static bool is_enabled, keeps_rests;
static struct timer *started;
static unsigned repeated;
static uint64_t seed;

void trap_repeat_store(void)
{
	repeated++;
}

void gic_set_pending(unsigned intid)
{
	for (unsigned i = 0; i < ENDS; i++) {
		kicked[i] |= intid == net[i].kick;
		interrupted[i] |= net[i].spi && intid == net[i].spi;
	}
}

void gic_enable(unsigned intid)
{
	is_enabled = true;
}

void gic_disable(unsigned intid)
{
	is_enabled = false;
}

/* A rest is over at once unless the test keeps rests. */
void timerq_start(struct timer *timer, uint64_t deadline)
{
	timer->deadline = deadline;
	started = timer;
	if (keeps_rests)
		return;
	fake_cntpct_el0 = deadline;
	timer->function(timer);
}

void vgicd_set_level(struct vgicd *dist, unsigned intid, bool level)
{
	assert_ptr_equal(dist, &vm[B].dist);
	assert_int_equal(intid, 48);
	pulses += level;
}

void vm_add_region(struct vm *of, struct mmio_region added)
{
	region[of - vm] = added;
}

static uint32_t random_below(uint32_t most)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % most;
}

static void write_reg(unsigned end, uint32_t offset, uint32_t value)
{
	region[end].write(&vcpu, offset, 4, value, region[end].state);
}

static uint32_t read_reg(unsigned end, uint32_t offset)
{
	return (uint32_t)region[end].read(&vcpu, offset, 4, region[end].state);
}

/* Process all kicks. Their number is bounded: a kick moves one frame, and kicks again for the
 * frames that remain. */
static void process(void)
{
	for (unsigned round = 0; kicked[A] || kicked[B]; round++) {
		assert_true(round < 1000);
		for (unsigned i = 0; i < ENDS; i++)
			if (kicked[i]) {
				kicked[i] = false;
				virtio_net_kicked(&net[i]);
				assert_int_equal(cable.next, cable.now);
			}
	}
}

/* --- a driver that keeps the rules --- */

static struct virtio_descriptor *descriptor(unsigned end, unsigned which, unsigned i)
{
	return (struct virtio_descriptor *)&memory[end].ram[DESCRIPTORS(which)] + i;
}

static struct virtio_available *available(unsigned end, unsigned which)
{
	return (struct virtio_available *)&memory[end].ram[AVAILABLE(which)];
}

static struct virtio_used *used(unsigned end, unsigned which)
{
	return (struct virtio_used *)&memory[end].ram[USED(which)];
}

static void set_queue(unsigned end, unsigned which)
{
	write_reg(end, VIRTIO_QUEUE_SEL, which);
	write_reg(end, VIRTIO_QUEUE_NUM, QUEUE_SIZE);
	write_reg(end, VIRTIO_QUEUE_DESC, RAM + DESCRIPTORS(which));
	write_reg(end, VIRTIO_QUEUE_DRIVER, RAM + AVAILABLE(which));
	write_reg(end, VIRTIO_QUEUE_DEVICE, RAM + USED(which));
	write_reg(end, VIRTIO_QUEUE_READY, 1);
}

/* Reset the device and agree on its features. The device then has no queues. */
static void agree(unsigned end)
{
	write_reg(end, VIRTIO_STATUS, 0);
	write_reg(end, VIRTIO_STATUS, VIRTIO_ACKNOWLEDGE | VIRTIO_DRIVER);
	write_reg(end, VIRTIO_DRIVER_FEATURES_SEL, 1);
	write_reg(end, VIRTIO_DRIVER_FEATURES, VIRTIO_F_VERSION_1);
	write_reg(end, VIRTIO_STATUS, VIRTIO_FEATURES_OK);
}

static void begin(unsigned end)
{
	agree(end);
	memset(memory[end].ram, 0, BUFFERS);
	set_queue(end, VIRTIO_NET_RX);
	set_queue(end, VIRTIO_NET_TX);
	write_reg(end, VIRTIO_STATUS, VIRTIO_DRIVER_OK);
}

static void setup(void)
{
	static struct virtio_net fresh;

	memset(memory, 0xa5, sizeof(memory));
	for (unsigned i = 0; i < ENDS; i++) {
		machine[i] = (struct vm_machine){
			.ram = ram_plain(RAM, (uintptr_t)memory[i].ram, RAM_SIZE),
			.net = &net[i],
		};
		vm[i] = (struct vm){ .machine = &machine[i] };
		net[i] = fresh;
		net[i].peer = &net[!i];
		net[i].cable = &cable;
		net[i].kick = 100 + i;
		net[i].spi = i == A ? 110 : 0;
		memcpy(net[i].mac, (uint8_t[]){ 2, 1, 2, 3, 4, (uint8_t)i }, 6);
		virtio_net_add(&vm[i], &net[i]);
	}
	kicked[A] = kicked[B] = interrupted[A] = interrupted[B] = false;
	is_enabled = true;
	keeps_rests = false;
	started = NULL;
	repeated = 0;
	cable = (struct lock){ 0 };
	fake_counter_step = 1;
	pulses = 0;
	seed = from_environment("SEED", 1);
	begin(A);
	begin(B);
	process();
}

static void guards_are_intact(void)
{
	for (unsigned i = 0; i < ENDS; i++)
		for (unsigned at = 0; at < GUARD; at++) {
			assert_int_equal(memory[i].before[at], 0xa5);
			assert_int_equal(memory[i].after[at], 0xa5);
		}
}

/* Offer a chain of `pieces` descriptors from `first` on, for the buffer at BUFFERS + `at`. */
static void offer(unsigned end, unsigned which, unsigned first, uint32_t at, uint32_t size,
		  unsigned pieces)
{
	struct virtio_available *ring = available(end, which);

	for (unsigned i = 0; i < pieces; i++) {
		uint32_t piece = i + 1 == pieces ? size : size / 2;

		*descriptor(end, which, first + i) = (struct virtio_descriptor){
			.address = RAM + BUFFERS + at,
			.length = piece,
			.flags = (uint16_t)((which == VIRTIO_NET_RX ? VIRTIO_DESC_WRITE : 0) |
					    (i + 1 < pieces ? VIRTIO_DESC_NEXT : 0)),
			.next = (uint16_t)(first + i + 1),
		};
		at += piece;
		size -= piece;
	}
	ring->ring[ring->index++ % QUEUE_SIZE] = (uint16_t)first;
}

/* Offer a frame of A, and a buffer of B for the frame, each in one piece. */
static void offer_frame(unsigned first)
{
	offer(A, VIRTIO_NET_TX, first, 0, 64, 1);
}

static void offer_buffer(unsigned first)
{
	offer(B, VIRTIO_NET_RX, first, 0, BUFFER_SIZE, 1);
}

static void send(void)
{
	write_reg(A, VIRTIO_QUEUE_NOTIFY, VIRTIO_NET_TX);
	process();
}

static void set_tx_ready(unsigned end, bool is_ready)
{
	write_reg(end, VIRTIO_QUEUE_SEL, VIRTIO_NET_TX);
	write_reg(end, VIRTIO_QUEUE_READY, is_ready);
}

static void fill(uint8_t *frame, uint32_t size, uint32_t number)
{
	for (uint32_t i = 0; i < size; i++)
		frame[i] = (uint8_t)(number * 31 + i);
}

EACH_TEST(setup, guards_are_intact);

/* --- registers --- */

TEST(it_is_a_network_device)
{
	assert_int_equal(read_reg(A, VIRTIO_MAGIC_VALUE), 0x74726976);
	assert_int_equal(read_reg(A, VIRTIO_VERSION), 2);
	assert_int_equal(read_reg(A, VIRTIO_DEVICE_ID), 1);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(region[B].read(&vcpu, VIRTIO_CONFIG + i, 1, region[B].state),
				 net[B].mac[i]);
	assert_int_equal(read_reg(A, VIRTIO_CONFIG + 8), 0);
	write_reg(A, VIRTIO_QUEUE_SEL, 2);
	assert_int_equal(read_reg(A, VIRTIO_QUEUE_NUM_MAX), 0);
}

TEST(features_that_it_has_not_are_refused)
{
	static const uint32_t rows[][3] = {
		{ 0, VIRTIO_F_VERSION_1, VIRTIO_FEATURES_OK },
		{ VIRTIO_NET_F_MAC, VIRTIO_F_VERSION_1, VIRTIO_FEATURES_OK },
		{ 1, VIRTIO_F_VERSION_1, 0 },
		{ 0, 0, 0 },
		{ 0, 3, 0 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		write_reg(A, VIRTIO_STATUS, 0);
		for (uint32_t word = 0; word < 2; word++) {
			write_reg(A, VIRTIO_DRIVER_FEATURES_SEL, word);
			write_reg(A, VIRTIO_DRIVER_FEATURES, rows[i][word]);
		}
		write_reg(A, VIRTIO_STATUS, VIRTIO_FEATURES_OK | VIRTIO_DRIVER_OK);
		assert_int_equal(read_reg(A, VIRTIO_STATUS) & VIRTIO_FEATURES_OK, rows[i][2]);
		assert_int_equal(!(read_reg(A, VIRTIO_STATUS) & VIRTIO_DRIVER_OK), !rows[i][2]);
	}
}

/* Writes that a device refuses while it works. */
TEST(a_device_that_works_stays_as_it_is)
{
	static const struct {
		uint32_t offset, value;
		unsigned size;
	} rows[] = {
		{ VIRTIO_DRIVER_FEATURES_SEL, 1, 4 },
		{ VIRTIO_DRIVER_FEATURES, 3, 4 },
		{ VIRTIO_STATUS, VIRTIO_FEATURES_OK, 4 },
		{ VIRTIO_STATUS, VIRTIO_NEEDS_RESET, 4 },
		{ VIRTIO_STATUS, 0, 1 },
		{ VIRTIO_STATUS, 0, 2 },
		{ VIRTIO_STATUS, 0, 8 },
		{ VIRTIO_QUEUE_SEL, VIRTIO_NET_TX, 4 },
		{ VIRTIO_QUEUE_NUM, 0, 4 },
		{ VIRTIO_QUEUE_DESC, 1, 4 },
		{ VIRTIO_QUEUE_READY, 0, 4 },
		{ VIRTIO_QUEUE_READY, 1, 4 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		region[A].write(&vcpu, rows[i].offset, rows[i].size, rows[i].value,
				region[A].state);
	assert_int_equal(read_reg(A, VIRTIO_STATUS) & (VIRTIO_DRIVER_OK | VIRTIO_NEEDS_RESET),
			 VIRTIO_DRIVER_OK);
	assert_int_equal(read_reg(A, VIRTIO_QUEUE_READY), 1);
}

/* --- frames --- */

TEST(a_frame_arrives_with_a_header_of_its_own)
{
	static const uint8_t header[12] = { [10] = 1 };

	fill(&memory[A].ram[BUFFERS], 64 + HEADER, 5);
	offer(B, VIRTIO_NET_RX, 0, 0, BUFFER_SIZE, 2);
	offer(A, VIRTIO_NET_TX, 0, 0, 64 + HEADER, 1);
	write_reg(A, VIRTIO_QUEUE_NOTIFY, VIRTIO_NET_TX);
	assert_true(kicked[B] && !kicked[A]);
	process();
	assert_int_equal(used(B, VIRTIO_NET_RX)->index, 1);
	assert_int_equal(used(B, VIRTIO_NET_RX)->ring[0].length, 64 + HEADER);
	assert_memory_equal(&memory[B].ram[BUFFERS], header, HEADER);
	assert_memory_equal(&memory[B].ram[BUFFERS + HEADER], &memory[A].ram[BUFFERS + HEADER], 64);
	assert_int_equal(used(A, VIRTIO_NET_TX)->index, 1);
	assert_int_equal(read_reg(B, VIRTIO_INTERRUPT_STATUS), VIRTIO_INT_USED);
	assert_int_equal(pulses, 1);
	assert_true(interrupted[A]); /* A's driver wants to know what was sent */
	write_reg(B, VIRTIO_INTERRUPT_ACK, VIRTIO_INT_USED);
	assert_int_equal(read_reg(B, VIRTIO_INTERRUPT_STATUS), 0);
}

/* The rows cover each way to copy a frame: at once if it lies in one piece at both ends and is
 * short or aligned, else in parts. */
TEST(a_frame_arrives_whole_whatever_its_pieces)
{
	static const uint8_t header[12] = { [10] = 1 };
	static const struct {
		unsigned sent, room; /* pieces */
		uint32_t from, to;   /* offsets of the buffers */
		uint32_t size;
		unsigned parts;
	} rows[] = {
		{ 1, 1, 0, 0, 64 + HEADER, 1 },
		{ 1, 1, 3, 2, 64 + HEADER, 1 },
		{ 1, 1, 0, 1, 64 + HEADER, 1 },
		{ 2, 1, 0, 0, 64 + HEADER, 1 },
		{ 1, 2, 0, 0, 64 + HEADER, 1 },
		{ 3, 3, 0, 0, 64 + HEADER, 1 },
		{ 1, 1, 0, 0, HEADER + VIRTIO_NET_FRAME_MOST, 1 },
		{ 1, 1, 4, 4, VIRTIO_NET_PART, 1 },
		{ 1, 1, 4, 0, VIRTIO_NET_PART + 1, 2 },
		{ 1, 1, 0, 4, HEADER + VIRTIO_NET_FRAME_MOST, 3 },
		{ 2, 2, 0, 0, HEADER + VIRTIO_NET_FRAME_MOST, 3 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t *frame = &memory[A].ram[BUFFERS + rows[i].from];

		setup();
		fill(frame, rows[i].size, 5);
		offer(B, VIRTIO_NET_RX, 0, rows[i].to, BUFFER_SIZE, rows[i].room);
		offer(A, VIRTIO_NET_TX, 0, rows[i].from, rows[i].size, rows[i].sent);
		for (unsigned part = 0; part < rows[i].parts; part++) {
			assert_int_equal(net[B].received, 0);
			virtio_net_kicked(&net[B]);
		}
		assert_int_equal(net[B].received, 1);
		assert_int_equal(used(B, VIRTIO_NET_RX)->ring[0].length, rows[i].size);
		assert_memory_equal(&memory[B].ram[BUFFERS + rows[i].to + HEADER], frame + HEADER,
				    rows[i].size - HEADER);
		assert_memory_equal(&memory[B].ram[BUFFERS + rows[i].to], header, HEADER);
	}
}

/* Send a part of a frame. */
static void send_half(void)
{
	offer(A, VIRTIO_NET_TX, 0, 0, HEADER + VIRTIO_NET_FRAME_MOST, 2);
	offer_buffer(0);
	virtio_net_kicked(&net[B]);
	assert_true(kicked[B] && !net[B].received);
}

/* The rest of the frame must not arrive with a frame of a new queue, nor come from memory that the
 * guest no longer offers. */
TEST(a_frame_of_a_queue_that_ends_goes_no_further)
{
	for (unsigned i = 0; i < 2 * ENDS; i++) {
		unsigned end = i % 2;

		setup();
		send_half();
		if (i / 2) {
			agree(end);
			write_reg(end, VIRTIO_STATUS, VIRTIO_DRIVER_OK);
		} else {
			set_tx_ready(end, false);
		}
		memset(&memory[B].ram[BUFFERS], 0xee, BUFFER_SIZE);
		process();
		for (unsigned at = 0; at < BUFFER_SIZE && end == A; at++)
			assert_int_equal(memory[B].ram[BUFFERS + at], 0xee);
		assert_int_equal(net[B].received, i == 1);
	}
}

/* Neither end waits for the other, which may not run for a long time. */
TEST(a_frame_passes_one_that_is_on_its_way_to_the_other_end)
{
	send_half();
	offer(B, VIRTIO_NET_TX, 0, 0, 64, 1);
	offer(A, VIRTIO_NET_RX, 0, BUFFER_SIZE, 64, 1);
	virtio_net_kicked(&net[A]);
	assert_int_equal(net[A].received, 1);
	process();
	assert_int_equal(net[B].received, 1);
}

/* The chain has so many descriptors that one exit for all of them would be too long. */
TEST(a_part_has_a_bounded_number_of_steps)
{
	unsigned parts = 1;

	offer(B, VIRTIO_NET_RX, 0, BUFFER_SIZE, BUFFER_SIZE, 8);
	offer(A, VIRTIO_NET_TX, 0, 0, VIRTIO_NET_PART / 2, 8);
	for (virtio_net_kicked(&net[B]); !net[B].received; virtio_net_kicked(&net[B]))
		parts++;
	assert_in_range(parts, 2, 15);
}

/* --- core time that frames may take, however many a sender has and however it kicks --- */

#define FRAMES 6u
#define TICKS 100u /* for each read of the counter */

/* Offer `frames` frames of the sender and FRAMES buffers of the receiver. */
static void keep_rests(unsigned frames)
{
	keeps_rests = true;
	fake_counter_step = TICKS;
	for (unsigned i = 0; i < FRAMES; i++)
		offer_buffer(i);
	for (unsigned i = 0; i < frames; i++)
		offer(A, VIRTIO_NET_TX, i, 0, 64, 1);
}

/* Kick just before the end of the rest. */
static void kick_in_the_rest(void)
{
	is_enabled = true;
	kicked[B] = false;
	fake_cntpct_el0 = net[B].rests_until - TICKS - 1;
	virtio_net_kicked(&net[B]);
	assert_true(kicked[B] && !is_enabled);
}

/* --- another core has the cable --- */

#define FAILED 0x80u /* a bit of the status: the driver gave up (2.1) */

static uint32_t status_after(uint32_t status)
{
	write_reg(B, VIRTIO_STATUS, status);
	return read_reg(B, VIRTIO_STATUS);
}

TEST(a_kick_rests_for_a_frame_while_another_core_has_the_cable)
{
	keep_rests(FRAMES);
	virtio_net_kicked(&net[B]);
	fake_cntpct_el0 = net[B].rests_until;
	lock_take(&cable);
	kicked[B] = false;
	virtio_net_kicked(&net[B]);
	assert_int_equal(net[B].received, 1);
	assert_true(kicked[B] && !is_enabled);
	assert_int_equal(started->deadline, fake_cntpct_el0 + net[B].took);
	assert_true(net[B].took >= TICKS);
	lock_release(&cable);
	fake_cntpct_el0 = started->deadline;
	virtio_net_kicked(&net[B]);
	assert_int_equal(net[B].received, 2);
}

TEST(a_store_is_repeated_while_another_core_has_the_cable)
{
	uint32_t status = read_reg(B, VIRTIO_STATUS);

	lock_take(&cable);
	assert_int_equal(status_after(status | FAILED), status);
	assert_int_equal(status_after(0), status);
	assert_int_equal(repeated, 2);
	lock_release(&cable);
	assert_int_equal(status_after(status | FAILED), status | FAILED);
	assert_int_equal(status_after(0), 0);
	assert_int_equal(repeated, 2);
}

TEST(a_notification_and_a_read_need_no_cable)
{
	lock_take(&cable);
	write_reg(A, VIRTIO_QUEUE_NOTIFY, VIRTIO_NET_TX);
	assert_true(kicked[B]);
	read_reg(A, VIRTIO_STATUS);
	assert_int_equal(repeated, 0);
	lock_release(&cable);
}

TEST(a_vm_resets_its_device_after_the_frame_of_another_core)
{
	lock_take(&cable);
	assert_false(virtio_net_reset(&net[B]));
	assert_true(net[B].works);
	lock_release(&cable);
	assert_true(virtio_net_reset(&net[B]));
	assert_false(net[B].works);
	virtio_net_stop(&net[A]);
	assert_false(net[A].works);
	assert_int_equal(cable.next, cable.now);
}

/* --- rests --- */

TEST(the_rest_is_as_long_as_the_piece)
{
	uint64_t start = fake_cntpct_el0, end;

	keep_rests(FRAMES);
	virtio_net_kicked(&net[B]);
	end = fake_cntpct_el0;
	assert_true(net[B].rests_until - end >= end - start - TICKS);
}

/* A sender may kick each time with one frame or none. A kick during the rest moves no frame. */
TEST(a_kick_is_followed_by_a_rest)
{
	for (unsigned frames = 0; frames < 3; frames++) {
		setup();
		keep_rests(frames);
		virtio_net_kicked(&net[B]);
		assert_true(is_enabled == (frames < 2) && !kicked[B] == (frames < 2));
		kick_in_the_rest();
		assert_int_equal(net[B].received, frames ? 1 : 0);
		assert_ptr_equal(started, &vm[B].net_rest);
		assert_int_equal(started->deadline, net[B].rests_until);
	}
}

TEST(every_frame_arrives_after_all)
{
	keep_rests(FRAMES);
	for (kicked[B] = true; kicked[B]; started = NULL) {
		kicked[B] = false;
		virtio_net_kicked(&net[B]);
		if (!started)
			continue;
		assert_false(is_enabled);
		fake_cntpct_el0 = started->deadline;
		started->function(started);
		assert_true(is_enabled && kicked[B]);
	}
	assert_int_equal(net[B].received, FRAMES);
}

TEST(who_wants_no_interrupt_gets_none)
{
	available(A, VIRTIO_NET_TX)->flags = available(B, VIRTIO_NET_RX)->flags =
		VIRTIO_NO_INTERRUPT;
	offer_buffer(0);
	offer_frame(0);
	send();
	assert_int_equal(net[B].received, 1);
	assert_false(interrupted[A]);
	assert_int_equal(pulses, 0);
}

TEST(a_frame_waits_for_a_buffer)
{
	offer_frame(0);
	send();
	assert_int_equal(used(A, VIRTIO_NET_TX)->index, 0);
	offer_buffer(0);
	write_reg(B, VIRTIO_QUEUE_NOTIFY, VIRTIO_NET_RX);
	process();
	assert_int_equal(used(A, VIRTIO_NET_TX)->index, 1);
	assert_int_equal(net[B].received, 1);
	assert_int_equal(net[A].lost, 0);
}

TEST(a_frame_waits_for_a_partner_that_starts_anew)
{
	offer_frame(0);
	send();
	begin(B);
	offer_buffer(0);
	process();
	assert_int_equal(net[B].received, 1);
}

TEST(a_queue_begins_anew_without_a_reset)
{
	for (unsigned i = 0; i < 2; i++) {
		offer_buffer(0);
		offer_frame(0);
		send();
		assert_int_equal(used(A, VIRTIO_NET_TX)->index, 1);
		assert_int_equal(net[B].received, i + 1);
		set_tx_ready(A, false);
		memset(available(A, VIRTIO_NET_TX), 0, sizeof(struct virtio_available));
		used(A, VIRTIO_NET_TX)->index = 0;
		write_reg(A, VIRTIO_QUEUE_READY, 1);
	}
}

TEST(without_a_partner_a_frame_is_lost_and_counted)
{
	virtio_net_reset(&net[B]);
	for (unsigned i = 0; i < QUEUE_SIZE; i++)
		offer_frame(i);
	write_reg(A, VIRTIO_QUEUE_NOTIFY, VIRTIO_NET_TX);
	assert_true(kicked[A] && !kicked[B]);
	process();
	assert_int_equal(used(A, VIRTIO_NET_TX)->index, QUEUE_SIZE);
	assert_int_equal(net[A].lost, QUEUE_SIZE);
	begin(B);
	offer_buffer(0);
	offer_frame(0);
	send();
	assert_int_equal(net[B].received, 1);
}

TEST(a_frame_that_does_not_fit_is_lost)
{
	offer(B, VIRTIO_NET_RX, 0, 0, 63, 1);
	offer_frame(0);
	offer(A, VIRTIO_NET_TX, 1, 0, 60, 1);
	send();
	assert_int_equal(net[A].lost, 1);
	assert_int_equal(net[B].received, 1);
	assert_int_equal(used(A, VIRTIO_NET_TX)->index, 2);
	assert_int_equal(net[A].broken | net[B].broken, 0);
}

TEST(a_frame_that_ends_with_an_empty_descriptor_fits_its_buffer)
{
	offer(B, VIRTIO_NET_RX, 0, 0, 64, 2);
	offer(A, VIRTIO_NET_TX, 0, 0, 64, 2);
	descriptor(A, VIRTIO_NET_TX, 0)->length = 64;
	descriptor(A, VIRTIO_NET_TX, 1)->length = 0;
	send();
	assert_int_equal(net[B].received, 1);
	assert_int_equal(used(B, VIRTIO_NET_RX)->ring[0].length, 64);
}

/* --- rules that a guest breaks --- */

static void assert_stops_only(unsigned end)
{
	for (unsigned i = 0; i < 2; i++) { /* the second time the stopped device does not look */
		write_reg(A, VIRTIO_QUEUE_NOTIFY, VIRTIO_NET_TX);
		kicked[A] = kicked[B] = true;
		process();
	}
	for (unsigned i = 0; i < ENDS; i++) {
		assert_int_equal(net[i].broken, i == end);
		assert_int_equal(read_reg(i, VIRTIO_STATUS) & VIRTIO_NEEDS_RESET,
				 i == end ? VIRTIO_NEEDS_RESET : 0);
		assert_int_equal(read_reg(i, VIRTIO_INTERRUPT_STATUS) & VIRTIO_INT_CONFIG,
				 i == end ? VIRTIO_INT_CONFIG : 0);
	}
	assert_int_equal(net[A].received + net[B].received, 0);
}

TEST(a_frame_of_a_wrong_length_stops_its_sender)
{
	static const uint32_t lengths[] = { HEADER, HEADER + VIRTIO_NET_FRAME_MOST + 1 };

	for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
		setup();
		offer_buffer(0);
		offer(A, VIRTIO_NET_TX, 0, 0, lengths[i], 1 + i);
		assert_stops_only(A);
		assert_int_equal(net[A].lost, 0);
	}
}

/* The only descriptor, or the first of two, is wrong, in the frame or in the buffer for it. */
TEST(a_wrong_chain_stops_the_device_of_its_guest)
{
	static const struct {
		uint64_t address;
		uint32_t length;
		uint16_t flip, next; /* flip: flags to invert */
		unsigned pieces;
	} rows[] = {
		{ RAM - 1, 4, 0, 1, 2 }, /* outside of the VM's RAM, at both ends */
		{ RAM + RAM_SIZE - 15, 16, 0, 1, 2 },
		{ RAM + RAM_SIZE - 15, 16, 0, 0, 1 },
		{ UINT64_MAX - 7, UINT32_MAX, 0, 1, 2 }, /* the address wraps */
		{ RAM + BUFFERS, 0, 0, 0, 2 },           /* a chain in a circle */
		{ RAM + BUFFERS, 8, 0, QUEUE_SIZE, 2 },  /* there is no such next descriptor */
		{ RAM + BUFFERS, 32, VIRTIO_DESC_WRITE, 1, 2 },
		{ RAM + BUFFERS, 32, VIRTIO_DESC_INDIRECT, 1, 2 },
	};

	for (unsigned i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		unsigned end = i % 2;
		struct virtio_descriptor *first =
			descriptor(end, end == A ? VIRTIO_NET_TX : VIRTIO_NET_RX, 0);

		setup();
		offer(B, VIRTIO_NET_RX, 0, 0, BUFFER_SIZE, rows[i / 2].pieces);
		offer(A, VIRTIO_NET_TX, 0, 0, 64, rows[i / 2].pieces);
		first->address = rows[i / 2].address;
		first->length = rows[i / 2].length;
		first->flags ^= rows[i / 2].flip;
		first->next = rows[i / 2].next;
		assert_stops_only(end);
		guards_are_intact();
	}
}

TEST(an_index_that_jumps_stops_the_device)
{
	offer_buffer(0);
	available(A, VIRTIO_NET_TX)->index = QUEUE_SIZE + 1;
	assert_stops_only(A);
	setup();
	offer_frame(0);
	offer_buffer(QUEUE_SIZE);
	assert_stops_only(B);
}

/* Give B colours 0 and 2: its pages lie at 0, 0x2000, 0x10000 and 0x12000 of the window. */
static uint8_t *with_colours(uint32_t offset)
{
	static const uint32_t colour[] = { 0, 2 };

	machine[B].ram.linear = 0;
	machine[B].ram.colours = 2;
	machine[B].ram.colour = colour;
	return (uint8_t *)(uintptr_t)ram_pa(&machine[B].ram, RAM + offset);
}

TEST(a_frame_crosses_pages_that_are_no_neighbours)
{
	uint8_t there[200];

	assert_ptr_equal(with_colours(0x2000), memory[B].ram + 0x10000);
	assert_ptr_equal(with_colours(0x1fff), memory[B].ram + 0x2fff);
	begin(B);
	process();
	memset(memory[B].ram + 0x1000, 0xee, 0x1000);
	offer(B, VIRTIO_NET_RX, 0, 0xfc0, sizeof(there), 1);
	fill(&memory[A].ram[BUFFERS], sizeof(there), 9);
	offer(A, VIRTIO_NET_TX, 0, 0, sizeof(there), 1);
	send();
	memcpy(there, memory[B].ram + 0x2fc0, 0x40);
	memcpy(there + 0x40, memory[B].ram + 0x10000, sizeof(there) - 0x40);
	assert_memory_equal(there + HEADER, &memory[A].ram[BUFFERS + HEADER],
			    sizeof(there) - HEADER);
	for (unsigned at = 0x1000; at < 0x2000; at++)
		assert_int_equal(memory[B].ram[at], 0xee);
	assert_int_equal(net[B].received, 1);
	assert_int_equal(net[B].broken, 0);
}

/* A buffer ends beyond the last page, or all of it lies there. A queue crosses two pages that are
 * not adjacent. */
TEST(past_coloured_ram_the_device_stops)
{
	static const uint32_t rows[][2] = { { 0x2fc0, 0x41 },
					    { 0x3000, 1 },
					    { 0xfffff000, 0xffffffff } };

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		setup();
		with_colours(0);
		begin(B);
		process();
		offer(B, VIRTIO_NET_RX, 0, rows[i][0], rows[i][1], 1);
		offer_frame(0);
		send();
		assert_int_equal(net[B].broken, 1);
		assert_int_equal(net[A].broken, 0);
	}
	setup();
	with_colours(0);
	set_tx_ready(B, false);
	write_reg(B, VIRTIO_QUEUE_DESC, RAM + 0x1000 - 16);
	write_reg(B, VIRTIO_QUEUE_READY, 1);
	assert_int_equal(read_reg(B, VIRTIO_QUEUE_READY), 0);
	assert_int_equal(net[B].broken, 1);
}

TEST(a_queue_outside_of_ram_stops_the_device)
{
	static const struct {
		uint32_t offset, address;
	} rows[] = {
		{ VIRTIO_QUEUE_DESC, RAM + RAM_SIZE - QUEUE_SIZE * 16 + 16 },
		{ VIRTIO_QUEUE_DRIVER, RAM + RAM_SIZE - QUEUE_SIZE * 2 - 2 },
		{ VIRTIO_QUEUE_DEVICE, RAM + RAM_SIZE - QUEUE_SIZE * 8 },
		{ VIRTIO_QUEUE_DESC, RAM + 8 },
		{ VIRTIO_QUEUE_DRIVER, RAM + 1 },
		{ VIRTIO_QUEUE_DEVICE, RAM + 2 },
		{ VIRTIO_QUEUE_DESC + 4, 1 },
		{ VIRTIO_QUEUE_NUM, 0 },
		{ VIRTIO_QUEUE_NUM, 3 },
		{ VIRTIO_QUEUE_NUM, VIRTIO_QUEUE_MOST * 2 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		setup();
		set_tx_ready(A, false);
		write_reg(A, rows[i].offset, rows[i].address);
		write_reg(A, VIRTIO_QUEUE_READY, 1);
		assert_int_equal(read_reg(A, VIRTIO_QUEUE_READY), 0);
		assert_stops_only(A);
	}
}

/* --- at random --- */

static uint32_t steps(void)
{
	return (uint32_t)from_environment("STEPS", STEPS);
}

/* One frame at a time is under way, in one to three pieces on each side. */
TEST(each_frame_is_the_one_that_was_sent)
{
	uint32_t received = 0;

	for (uint32_t i = 0; i < steps() / 8; i++) {
		unsigned from = random_below(2);
		uint32_t size = HEADER + 1 + random_below(VIRTIO_NET_FRAME_MOST);

		fill(&memory[from].ram[BUFFERS], size, i);
		offer(!from, VIRTIO_NET_RX, random_below(4), BUFFER_SIZE, BUFFER_SIZE,
		      1 + random_below(3));
		offer(from, VIRTIO_NET_TX, random_below(4), 0, size, 1 + random_below(3));
		write_reg(from, VIRTIO_QUEUE_NOTIFY, VIRTIO_NET_TX);
		process();
		assert_memory_equal(&memory[from].ram[BUFFERS + HEADER],
				    &memory[!from].ram[BUFFERS + BUFFER_SIZE + HEADER],
				    size - HEADER);
		received++;
		assert_int_equal(net[A].received + net[B].received, received);
	}
}

/* Return mostly addresses that are nearly right, so that the device goes far with them. */
static uint64_t hostile_address(void)
{
	switch (random_below(8)) {
	case 0:
		return RAM + RAM_SIZE - random_below(32);
	case 1:
		return RAM - random_below(32);
	case 2:
		return (uint64_t)random_below(UINT32_MAX) << random_below(33);
	default:
		return RAM + random_below(RAM_SIZE);
	}
}

static void hostile_chain(unsigned end)
{
	unsigned which = random_below(2);
	struct virtio_available *ring = available(end, which);

	for (unsigned i = 0; i < QUEUE_SIZE; i++)
		*descriptor(end, which, i) = (struct virtio_descriptor){
			.address = hostile_address(),
			.length = random_below(16) ? random_below(2000) : random_below(UINT32_MAX),
			.flags = (uint16_t)((which == VIRTIO_NET_RX ? VIRTIO_DESC_WRITE : 0) ^
					    (random_below(16) ? random_below(2) : random_below(8))),
			.next = (uint16_t)random_below(random_below(16) ? QUEUE_SIZE : UINT16_MAX),
		};
	ring->ring[random_below(QUEUE_SIZE)] =
		(uint16_t)random_below(random_below(16) ? QUEUE_SIZE : UINT16_MAX);
	ring->index += (uint16_t)random_below(random_below(16) ? 3 : UINT16_MAX);
	ring->flags = (uint16_t)random_below(2);
}

static void hostile_register(unsigned end)
{
	static const uint8_t sizes[] = { 1, 2, 4, 4, 4, 4, 8 };
	uint32_t offset =
		random_below(4) ? random_below(VIRTIO_SIZE / 4) * 4 : random_below(VIRTIO_SIZE);
	uint64_t value = random_below(2) ? random_below(4) : hostile_address();
	unsigned size = sizes[random_below(sizeof(sizes))];

	if (random_below(2))
		region[end].write(&vcpu, offset, size, value, region[end].state);
	else
		region[end].read(&vcpu, offset, size, region[end].state);
}

TEST(whatever_a_guest_writes_nothing_else_changes)
{
	uint32_t broken, received;

	for (uint32_t i = 0; i < steps(); i++) {
		unsigned end = random_below(2);
		uint32_t taken[ENDS];

		for (unsigned n = 0; n < ENDS; n++)
			taken[n] = net[n].lost + net[!n].received;
		if (!(read_reg(end, VIRTIO_STATUS) & VIRTIO_DRIVER_OK) ||
		    read_reg(end, VIRTIO_STATUS) & VIRTIO_NEEDS_RESET)
			begin(end);
		switch (random_below(16)) {
		case 1:
			virtio_net_reset(&net[end]);
			break;
		case 2:
		case 3:
			hostile_register(end);
			break;
		default:
			hostile_chain(end);
			write_reg(end, VIRTIO_QUEUE_NOTIFY, random_below(3));
		}
		process();
		for (unsigned n = 0; n < ENDS; n++)
			assert_true(net[n].lost + net[!n].received - taken[n] <= UINT16_MAX);
		if (i % 64 == 0)
			guards_are_intact();
	}
	broken = net[A].broken + net[B].broken;
	received = net[A].received + net[B].received;
	assert_true(broken > steps() / 50); /* the test has met what it is for */
	assert_true(received > steps() / 500);
	assert_true(net[A].lost + net[B].lost > steps() / 50);
}
