/* SPDX-License-Identifier: Apache-2.0 */
/* What frames may take of the receiver's core: however many a sender has, and however it kicks. */
/* LINK: hyp/dev/virtio_net.c hyp/mem/guest_ram.c */
#include <string.h>

#include "arch/sysreg.h"
#include "hyp/dev/virtio_net.h"
#include "hyp/vm/vm.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define RAM 0x40000000u
#define QUEUE_SIZE 8u
#define KICK 40u
#define FRAMES 6u
#define TICKS 100u /* of each read of the counter */

static uint8_t memory[2][0x4000] __attribute__((aligned(4096)));
static struct vm_machine machine[2];
static struct vm vm[2];
static struct virtio_net net[2];
static struct virtio_cable cable;
static bool is_kicked, is_enabled;
static struct timer *started;

void gic_set_pending(unsigned intid)
{
	is_kicked |= intid == KICK;
}

void gic_enable(unsigned intid)
{
	assert_int_equal(intid, KICK);
	is_enabled = true;
}

void gic_disable(unsigned intid)
{
	assert_int_equal(intid, KICK);
	is_enabled = false;
}

void timerq_start(struct timer *timer, uint64_t deadline)
{
	timer->deadline = deadline;
	started = timer;
}

void vgicd_set_level(struct vgicd *dist, unsigned intid, bool level)
{
	(void)dist;
	(void)intid;
	(void)level;
}

void vm_add_region(struct vm *of, struct mmio_region added)
{
	(void)of;
	(void)added;
}

static struct virtio_available *available_of(unsigned end, unsigned which)
{
	return (struct virtio_available *)&memory[end][which * 0x800 + 0x400];
}

/* Each queue has FRAMES chains of one descriptor. */
static void begin_queue(unsigned end, unsigned which, uint32_t length)
{
	struct virtio_queue *queue = &net[end].queue[which];
	uint8_t *at = &memory[end][which * 0x800];
	struct virtio_descriptor *descriptors = (struct virtio_descriptor *)at;
	struct virtio_available *available = available_of(end, which);

	for (uint16_t i = 0; i < FRAMES; i++) {
		descriptors[i] = (struct virtio_descriptor){
			.address = RAM + 0x1000 + i * 0x400u,
			.length = length,
			.flags = which == VIRTIO_NET_RX ? VIRTIO_DESC_WRITE : 0,
		};
		available->ring[i] = i;
	}
	available->index = FRAMES;
	*queue = (struct virtio_queue){
		.size = QUEUE_SIZE,
		.ready = true,
		.descriptors = descriptors,
		.available = available,
		.used = (struct virtio_used *)(at + 0x600),
	};
}

static void begin(uint32_t length)
{
	for (unsigned end = 0; end < 2; end++) {
		memset(memory[end], 0, sizeof(memory[end]));
		machine[end] = (struct vm_machine){
			.ram = ram_plain(RAM, (uintptr_t)memory[end], sizeof(memory[end])),
			.net = &net[end],
		};
		vm[end] = (struct vm){ .machine = &machine[end] };
		net[end] = (struct virtio_net){
			.vm = &vm[end],
			.peer = &net[!end],
			.cable = &cable,
			.kick = end ? KICK : KICK + 1,
			.status = VIRTIO_DRIVER_OK,
		};
		begin_queue(end, VIRTIO_NET_RX, 0x200);
		begin_queue(end, VIRTIO_NET_TX, length);
	}
}

static void setup(void)
{
	fake_reset();
	fake_cntpct_el0 = 1000;
	fake_counter_step = TICKS;
	is_kicked = false;
	is_enabled = true;
	started = NULL;
	begin(64);
}

EACH_TEST(setup, NULL);

TEST(a_kick_during_the_rest_moves_nothing)
{
	virtio_net_kicked(&net[1]);
	assert_int_equal(net[1].received, VIRTIO_NET_AT_ONCE);
	for (unsigned i = 0; i < 3; i++) {
		is_enabled = true;
		is_kicked = false;
		fake_cntpct_el0 = net[1].rests_until - TICKS - 1;
		virtio_net_kicked(&net[1]);
		assert_int_equal(net[1].received, VIRTIO_NET_AT_ONCE);
		assert_true(is_kicked && !is_enabled);
	}
	assert_ptr_equal(started, &vm[1].net_rest);
	assert_int_equal(started->deadline, net[1].rests_until);
}

TEST(the_rest_is_as_long_as_the_piece)
{
	uint64_t start = fake_cntpct_el0, end;

	virtio_net_kicked(&net[1]);
	end = fake_cntpct_el0;
	assert_true(net[1].rests_until - end >= end - start - TICKS);
}

/* A sender may kick with one frame, or none, each time. */
TEST(a_kick_without_a_whole_piece_is_followed_by_a_rest)
{
	for (uint16_t frames = 0; frames < VIRTIO_NET_AT_ONCE; frames++) {
		setup();
		available_of(0, VIRTIO_NET_TX)->index = frames;
		virtio_net_kicked(&net[1]);
		assert_int_equal(net[1].received, frames);
		assert_true(is_enabled && !is_kicked);
		fake_cntpct_el0 = net[1].rests_until - TICKS - 1;
		virtio_net_kicked(&net[1]);
		assert_true(is_kicked && !is_enabled);
	}
}

TEST(every_frame_arrives_after_all)
{
	is_kicked = true;
	while (is_kicked) {
		is_kicked = false;
		virtio_net_kicked(&net[1]);
		if (!started)
			continue;
		assert_false(is_enabled);
		fake_cntpct_el0 = started->deadline;
		started->function(started);
		started = NULL;
		assert_true(is_enabled && is_kicked);
	}
	assert_int_equal(net[1].received, FRAMES);
}
