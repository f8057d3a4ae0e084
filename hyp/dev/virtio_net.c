/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/dev/virtio_net.h"

#include <string.h>

#include "abi/virt.h"
#include "arch/sysreg.h"
#include "hyp/arch/guest.h"
#include "hyp/vm/vm.h"
#include "lib/compiler.h"

#define VENDOR 0x48594250u /* "HYPB" */
#define HEADER sizeof(struct virtio_net_header)
#define BROKEN UINT32_MAX

static void set_status(struct virtio_net *end, uint32_t status)
{
	end->status = status;
	end->works = (status & (VIRTIO_DRIVER_OK | VIRTIO_NEEDS_RESET)) == VIRTIO_DRIVER_OK;
}

/*
 * Raise the device's interrupt, an edge, on any core: the VM's physical SPI without a device, or a
 * virtual line.
 */
static void interrupt(struct virtio_net *end, uint32_t cause)
{
	end->interrupts |= cause;
	if (end->spi) {
		gic_set_pending(end->spi);
		return;
	}
	vgicd_set_level(&end->vm->dist, VIRT_VIRTIO_INTID, true);
	vgicd_set_level(&end->vm->dist, VIRT_VIRTIO_INTID, false);
}

/* Stop the device: the guest broke a rule of its queues (2.1.2). */
static __cold void break_down(struct virtio_net *end)
{
	set_status(end, end->status | VIRTIO_NEEDS_RESET);
	end->broken++;
	interrupt(end, VIRTIO_INT_CONFIG);
}

/* --- the guest's memory --- */

/* Return NULL if the range leaves the VM's RAM or the RAM is coloured. */
static void *memory_at(const struct virtio_net *end, uint64_t ipa, uint64_t size)
{
	const struct guest_ram *ram = &end->vm->machine->ram;
	uint64_t offset = ipa - ram->base;

	if (offset > ram->linear || size > ram->linear - offset)
		return NULL;
	return (void *)(uintptr_t)(ram->pa + offset);
}

/* Return the first descriptor (any number) of the next chain that the guest made available. */
static bool next_chain(struct virtio_net *end, enum virtio_net_queue which, uint16_t *head)
{
	const struct virtio_queue *queue = &end->queue[which];
	uint16_t ahead;

	if (!queue->ready)
		return false;
	ahead = (uint16_t)(queue->available->index - queue->next);
	if (ahead == 0)
		return false;
	dsb_ish(); /* read the entry after the index */
	*head = queue->available->ring[queue->next & (queue->size - 1)];
	if (ahead <= queue->size)
		return true;
	break_down(end);
	return false;
}

/* Copy between the chain and `frame`, which has `length` bytes. Return how many bytes the chain had
 * room for; a result above `length` means that the chain is longer; or return BROKEN. */
static inline __attribute__((always_inline)) uint32_t move_chain(struct virtio_net *end,
								 enum virtio_net_queue which,
								 uint16_t head, uint32_t length,
								 bool linear)
{
	const struct guest_ram *ram = &end->vm->machine->ram;
	const struct virtio_queue *queue = &end->queue[which];
	uint8_t *frame = end->cable->frame;
	uint32_t moved = 0;
	uint16_t at = head;

	/* bound: VIRTIO_NET_CHAIN_MOST; sum: VIRTIO_NET_FRAME_MOST + 12 */
	for (unsigned count = 0; at < queue->size && count < VIRTIO_NET_CHAIN_MOST; count++) {
		const volatile struct virtio_descriptor *descriptor = &queue->descriptors[at];
		uint32_t size = descriptor->length, piece = length - moved;
		uint16_t flags = descriptor->flags;
		uint64_t address = descriptor->address;
		uint8_t *memory = linear ? memory_at(end, address, size) : NULL;

		if ((linear && !memory) || (!linear && !ram_holds(ram, address, size)) ||
		    flags & VIRTIO_DESC_INDIRECT ||
		    !(flags & VIRTIO_DESC_WRITE) != (which == VIRTIO_NET_TX))
			break;
		if (piece > size)
			piece = size;
		if (!linear)
			/* argument: VIRTIO_NET_FRAME_MOST + 12 */
			ram_copy(ram, address, frame + moved, piece, which == VIRTIO_NET_RX);
		else if (which == VIRTIO_NET_TX)
			/* argument: VIRTIO_NET_FRAME_MOST + 12 */
			memcpy(frame + moved, memory, piece);
		else
			/* argument: VIRTIO_NET_FRAME_MOST + 12 */
			memcpy(memory, frame + moved, piece);
		moved += piece;
		if (piece < size && which == VIRTIO_NET_TX)
			return length + 1;
		if (!(flags & VIRTIO_DESC_NEXT) || (moved == length && which == VIRTIO_NET_RX))
			return moved;
		at = descriptor->next;
	}
	return BROKEN;
}

static __attribute__((noinline)) uint32_t move_linear(struct virtio_net *end,
						      enum virtio_net_queue which, uint16_t head,
						      uint32_t length)
{
	return move_chain(end, which, head, length, true);
}

static __cold uint32_t move_coloured(struct virtio_net *end, enum virtio_net_queue which,
				     uint16_t head, uint32_t length)
{
	return move_chain(end, which, head, length, false);
}

/* Move one frame. The linear path has no colouring code. */
static inline uint32_t move(struct virtio_net *end, enum virtio_net_queue which, uint16_t head,
			    uint32_t length)
{
	return end->vm->machine->ram.linear ? move_linear(end, which, head, length)
					    : move_coloured(end, which, head, length);
}

/* Return the chain to the guest. */
static inline __attribute__((always_inline)) void give_back(struct virtio_net *end,
							    enum virtio_net_queue which,
							    uint16_t head, uint32_t length)
{
	struct virtio_queue *queue = &end->queue[which];
	volatile struct virtio_used_entry *entry =
		&queue->used->ring[queue->used_index & (queue->size - 1)];

	entry->head = head;
	entry->length = length;
	queue->next++;
	queue->used_index++;
	dsb_ish(); /* write the entry and the frame before the index */
	queue->used->index = queue->used_index;
	dsb_ish(); /* write the index before the flags are read (2.7.7.2) */
	if (!(queue->available->flags & VIRTIO_NO_INTERRUPT))
		interrupt(end, VIRTIO_INT_USED);
}

/* --- the cable --- */

static void lose(struct virtio_net *sender, uint16_t head)
{
	sender->lost++;
	give_back(sender, VIRTIO_NET_TX, head, 0);
}

/* Return the memory of a chain that has one descriptor, in linear RAM, or NULL. */
static inline void *only_piece(const struct virtio_net *end, enum virtio_net_queue which,
			       uint16_t head, uint32_t *size)
{
	const struct virtio_queue *queue = &end->queue[which];
	const volatile struct virtio_descriptor *descriptor = &queue->descriptors[head];

	if (head >= queue->size ||
	    descriptor->flags != (which == VIRTIO_NET_RX ? VIRTIO_DESC_WRITE : 0))
		return NULL;
	*size = descriptor->length;
	return memory_at(end, descriptor->address, *size);
}

/* Copy a frame that lies in one piece at each end from RAM to RAM. Return its length, or 0 for any
 * other frame, of which nothing is copied. The receiver's header replaces the sender's before the
 * receiver has the buffer. */
static inline uint32_t copy_frame(struct virtio_net *end, uint16_t from, uint16_t to)
{
	uint32_t length, room;
	const void *sent = only_piece(end->peer, VIRTIO_NET_TX, from, &length);
	void *buffer = sent ? only_piece(end, VIRTIO_NET_RX, to, &room) : NULL;

	if (!buffer || length <= HEADER || length > sizeof(end->cable->frame) || room < length ||
	    (uintptr_t)buffer % _Alignof(struct virtio_net_header))
		return 0;
	/* argument: VIRTIO_NET_FRAME_MOST + 12 */
	memcpy(buffer, sent, length);
	*(struct virtio_net_header *)buffer = (struct virtio_net_header){ .buffers = 1 };
	return length;
}

/* The frame has `length` bytes in the receiver's buffer. */
static bool received(struct virtio_net *end, uint16_t from, uint16_t to, uint32_t length)
{
	end->received++;
	give_back(end, VIRTIO_NET_RX, to, length);
	give_back(end->peer, VIRTIO_NET_TX, from, 0);
	return true;
}

/* Receive one frame of the peer. Return false without a frame or a buffer for it. */
static bool receive(struct virtio_net *end)
{
	struct virtio_net *peer = end->peer;
	uint16_t from, to;
	uint32_t length, room;

	if (!next_chain(peer, VIRTIO_NET_TX, &from) || !next_chain(end, VIRTIO_NET_RX, &to))
		return false;
	length = copy_frame(end, from, to);
	if (length)
		return received(end, from, to, length);
	length = move(peer, VIRTIO_NET_TX, from, sizeof(end->cable->frame));
	if (length <= HEADER || length > sizeof(end->cable->frame)) {
		/* stop the peer, which could go on for ever: no buffer is used up */
		break_down(peer);
		return false;
	}
	end->cable->header = (struct virtio_net_header){ .buffers = 1 };
	room = move(end, VIRTIO_NET_RX, to, length);
	if (room == BROKEN) {
		break_down(end);
		return false;
	}
	if (room < length) {
		lose(peer, from);
		return true;
	}
	return received(end, from, to, length);
}

/* Drop one frame of this end, whose peer is not working. */
static bool drop(struct virtio_net *end)
{
	uint16_t head;

	if (!next_chain(end, VIRTIO_NET_TX, &head))
		return false;
	lose(end, head);
	return true;
}

/* A frame of `sender` has moved: return whether another one waits. */
static bool sends_more(const struct virtio_net *sender)
{
	const struct virtio_queue *queue = &sender->queue[VIRTIO_NET_TX];

	return queue->available->index != queue->next;
}

/* Move at most one frame. Return whether another one waits. */
static inline bool move_one(struct virtio_net *end)
{
	struct virtio_net *sender = end->peer->works ? end->peer : end;

	if (!end->works)
		return false;
	return (sender == end ? drop(end) : receive(end)) && sends_more(sender);
}

/* --- the share of the core --- */

static void rested(struct timer *timer)
{
	const struct vm *vm = (struct vm *)((char *)timer - offsetof(struct vm, net_rest));

	gic_enable(vm->machine->net->kick);
}

/* Keep the kick pending: no kick exits before the rest is over. */
static __cold void rest(struct virtio_net *end)
{
	gic_disable(end->kick);
	gic_set_pending(end->kick);
	end->vm->net_rest.function = rested;
	timerq_start(&end->vm->net_rest, end->rests_until);
}

/* Another core has the cable: come back after the time of a frame. */
static __cold void wait_for_cable(struct virtio_net *end, uint64_t now)
{
	end->rests_until = now + end->took;
	rest(end);
}

/* Move one frame; a rest of the same length follows each frame. */
void virtio_net_kicked(struct virtio_net *end)
{
	uint64_t start = read_cntpct_el0(), now;
	bool more;

	if (start < end->rests_until) {
		rest(end);
		return;
	}
	if (!lock_try(&end->cable->lock)) {
		wait_for_cable(end, start);
		return;
	}
	more = move_one(end);
	lock_release(&end->cable->lock);
	now = read_cntpct_el0();
	end->took = now - start;
	end->rests_until = now + end->took;
	if (more)
		rest(end);
}

/* --- registers --- */

/*
 * Reads take no lock. Another vCPU may change the selection meanwhile, so the selection is read
 * once.
 */
static struct virtio_queue *selected(struct virtio_net *end)
{
	uint32_t which = __atomic_load_n(&end->queue_select, __ATOMIC_RELAXED);

	return which < VIRTIO_NET_QUEUES ? &end->queue[which] : NULL;
}

static uint32_t offered(const struct virtio_net *end)
{
	const uint64_t features = VIRTIO_NET_F_MAC | (uint64_t)VIRTIO_F_VERSION_1 << 32;

	return end->device_select < 2 ? (uint32_t)(features >> 32 * end->device_select) : 0;
}

static uint32_t read_config(const struct virtio_net *end, uint32_t offset, unsigned size)
{
	uint32_t value = 0;

	/* bound: 4 */
	for (unsigned i = 0; i < size && i < 4; i++)
		if (offset + i < VIRTIO_NET_MAC_SIZE)
			value |= (uint32_t)end->mac[offset + i] << 8 * i;
	return value;
}

static reg_t read_register(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state)
{
	struct virtio_net *end = state;
	const struct virtio_queue *queue;

	if (offset >= VIRTIO_CONFIG)
		return read_config(end, offset - VIRTIO_CONFIG, size);
	switch (offset) {
	case VIRTIO_MAGIC_VALUE:
		return VIRTIO_MAGIC;
	case VIRTIO_VERSION:
		return VIRTIO_MODERN;
	case VIRTIO_DEVICE_ID:
		return VIRTIO_DEVICE_NET;
	case VIRTIO_VENDOR_ID:
		return VENDOR;
	case VIRTIO_DEVICE_FEATURES:
		return offered(end);
	case VIRTIO_QUEUE_NUM_MAX:
		return selected(end) ? VIRTIO_QUEUE_MOST : 0;
	case VIRTIO_QUEUE_READY:
		return (queue = selected(end)) && queue->ready;
	case VIRTIO_INTERRUPT_STATUS:
		return end->interrupts;
	case VIRTIO_STATUS:
		return end->status;
	default:
		return 0;
	}
}

static __attribute__((noinline)) void reset_and_release(struct virtio_net *end)
{
	set_status(end, 0);
	end->interrupts = 0;
	end->queue_select = end->device_select = end->driver_select = 0;
	memset(end->driver_features, 0, sizeof(end->driver_features));
	memset(end->queue, 0, sizeof(end->queue));
	lock_release(&end->cable->lock);
}

bool virtio_net_reset(struct virtio_net *end)
{
	if (!lock_try(&end->cable->lock))
		return false;
	reset_and_release(end);
	return true;
}

__cold void virtio_net_stop(struct virtio_net *end)
{
	lock_take(&end->cable->lock);
	reset_and_release(end);
}

/*
 * Enable a queue. The device stops unless all parts of the queue are in RAM, each with its
 * alignment (2.7).
 */
static void make_ready(struct virtio_net *end, struct virtio_queue *queue)
{
	uint32_t size = queue->size;

	/* argument: VIRTIO_QUEUE_MOST * 16 */
	queue->descriptors = ram_at(&end->vm->machine->ram, queue->address[0],
				    size * sizeof(struct virtio_descriptor));
	queue->available =
		/* argument: VIRTIO_QUEUE_MOST * 16 */
		ram_at(&end->vm->machine->ram, queue->address[1],
		       offsetof(struct virtio_available, ring) + size * sizeof(uint16_t));
	/* argument: VIRTIO_QUEUE_MOST * 16 */
	queue->used = ram_at(&end->vm->machine->ram, queue->address[2],
			     offsetof(struct virtio_used, ring) +
				     size * sizeof(struct virtio_used_entry));
	queue->next = queue->used_index = 0;
	queue->ready = size && queue->descriptors && queue->available && queue->used &&
		       !(queue->address[0] % 16 | queue->address[1] % 2 | queue->address[2] % 4);
	if (!queue->ready)
		break_down(end);
}

static void write_ready(struct virtio_net *end, bool ready)
{
	struct virtio_queue *queue = selected(end);

	if (!queue || queue->ready == ready)
		return;
	queue->ready = false;
	if (ready)
		make_ready(end, queue);
}

static void write_size(struct virtio_queue *queue, uint32_t size)
{
	if (queue && !queue->ready)
		queue->size = size <= VIRTIO_QUEUE_MOST && !(size & (size - 1)) ? size : 0;
}

static void write_address(struct virtio_queue *queue, uint32_t offset, uint32_t value)
{
	uint64_t *address = &queue->address[(offset - VIRTIO_QUEUE_DESC) / 16];
	unsigned shift = offset & 4 ? 32 : 0;

	if (!queue->ready)
		*address = (*address & ~((uint64_t)UINT32_MAX << shift)) | (uint64_t)value << shift;
}

/* Write the status. The features must be a subset of those offered, with VERSION_1 (6.1). A device
 * that starts to work looks for earlier frames. */
static void write_status(struct virtio_net *end, uint32_t value)
{
	bool agreed = !(end->driver_features[0] & ~VIRTIO_NET_F_MAC) &&
		      end->driver_features[1] == VIRTIO_F_VERSION_1;

	value = (value & 0xff) | end->status;
	if (!agreed)
		value &= ~(VIRTIO_FEATURES_OK | VIRTIO_DRIVER_OK);
	set_status(end, value & (end->status | ~VIRTIO_NEEDS_RESET));
	if (end->works)
		gic_set_pending(end->kick);
}

/* Kick the peer for TX if the peer is working, else this device. */
static void notify(struct virtio_net *end, uint32_t queue)
{
	if (queue == VIRTIO_NET_TX)
		gic_set_pending(end->peer->works ? end->peer->kick : end->kick);
	else if (queue == VIRTIO_NET_RX)
		gic_set_pending(end->kick);
}

static void write_locked(struct virtio_net *end, uint32_t offset, uint32_t value)
{
	struct virtio_queue *queue = selected(end);

	switch (offset) {
	case VIRTIO_DEVICE_FEATURES_SEL:
		end->device_select = value;
		break;
	case VIRTIO_DRIVER_FEATURES_SEL:
		end->driver_select = value;
		break;
	case VIRTIO_DRIVER_FEATURES:
		if (end->driver_select < 2 && !(end->status & VIRTIO_FEATURES_OK))
			end->driver_features[end->driver_select] = value;
		break;
	case VIRTIO_QUEUE_SEL:
		end->queue_select = value;
		break;
	case VIRTIO_QUEUE_NUM:
		write_size(queue, value);
		break;
	case VIRTIO_QUEUE_READY:
		write_ready(end, value & 1);
		break;
	case VIRTIO_INTERRUPT_ACK:
		end->interrupts &= ~value;
		break;
	case VIRTIO_STATUS:
		write_status(end, value);
		break;
	default: /* both words of three addresses, which are 16 bytes apart */
		if (queue && offset - VIRTIO_QUEUE_DESC < 0x30 && !(offset & 0xb))
			write_address(queue, offset, value);
	}
}

static bool write_alone(struct virtio_net *end, uint32_t offset, uint32_t value)
{
	if (!lock_try(&end->cable->lock))
		return false;
	write_locked(end, offset, value);
	lock_release(&end->cable->lock);
	return true;
}

/* A guest writes registers as words (4.2.2.2). While another core has the cable, the guest repeats
 * the store, and takes its interrupts in between. */
static void write_register(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value,
			   void *state)
{
	struct virtio_net *end = state;

	if (size != 4)
		return;
	if (offset == VIRTIO_QUEUE_NOTIFY)
		notify(end, (uint32_t)value);
	else if (!(offset == VIRTIO_STATUS && value == 0
			   ? virtio_net_reset(end)
			   : write_alone(end, offset, (uint32_t)value)))
		trap_repeat_store();
}

void virtio_net_add(struct vm *vm, struct virtio_net *end)
{
	end->vm = vm;
	vm_add_region(vm, (struct mmio_region){ end->base, VIRTIO_SIZE, .read = read_register,
						write_register, end, "virtio network device" });
}
