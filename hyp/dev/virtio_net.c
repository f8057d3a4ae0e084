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
#define FRAME_MOST (HEADER + VIRTIO_NET_FRAME_MOST)

static void set_status(struct virtio_net *end, uint32_t status)
{
	end->status = status;
	end->works = (status & (VIRTIO_DRIVER_OK | VIRTIO_NEEDS_RESET)) == VIRTIO_DRIVER_OK;
}

/* Raise the device's interrupt, an edge, on any core: a physical SPI that no hardware device has,
 * or a virtual line. */
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
static inline __attribute__((always_inline)) void *only_piece(const struct virtio_net *end,
							      enum virtio_net_queue which,
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

/* Return the length of the longest frame that is copied at once: a copy between addresses that are
 * not aligned takes several times as long. */
static inline uint32_t most_at_once(const void *sent, const void *buffer)
{
	bool aligned = ((uintptr_t)sent | (uintptr_t)buffer) % sizeof(uintptr_t) == 0;

	return aligned ? FRAME_MOST : VIRTIO_NET_PART;
}

/* Copy a frame that lies in one piece at each end. Return its length, or 0 without a copy for any
 * other frame. The receiver's header replaces the sender's before the receiver has the buffer. */
static inline uint32_t copy_at_once(struct virtio_net *end, uint16_t from, uint16_t to)
{
	uint32_t length, room;
	const void *sent = only_piece(end->peer, VIRTIO_NET_TX, from, &length);
	void *buffer = sent ? only_piece(end, VIRTIO_NET_RX, to, &room) : NULL;

	if (!buffer || length <= HEADER || length > most_at_once(sent, buffer) || room < length ||
	    (uintptr_t)buffer % _Alignof(struct virtio_net_header))
		return 0;
	/* argument: VIRTIO_NET_FRAME_MOST + 12 */
	memcpy(buffer, sent, length);
	*(struct virtio_net_header *)buffer = (struct virtio_net_header){ .buffers = 1 };
	return length;
}

/* --- a frame in parts --- */

enum progress { MORE, WHOLE, TOO_LONG, SENDER_IS_WRONG, RECEIVER_IS_WRONG };

/* Continue with the next descriptor. Return false if the descriptor breaks a rule of chains
 * (2.7.5). */
static bool next_descriptor(const struct virtio_net *end, enum virtio_net_queue which,
			    struct virtio_chain *chain)
{
	const struct virtio_queue *queue = &end->queue[which];
	const volatile struct virtio_descriptor *descriptor = &queue->descriptors[chain->next];
	uint16_t flags;

	if (chain->next >= queue->size || chain->count++ == VIRTIO_NET_CHAIN_MOST)
		return false;
	flags = descriptor->flags;
	chain->ipa = descriptor->address;
	chain->left = descriptor->length;
	chain->next = descriptor->next;
	chain->more = flags & VIRTIO_DESC_NEXT;
	return !(flags & VIRTIO_DESC_INDIRECT) &&
	       !(flags & VIRTIO_DESC_WRITE) == (which == VIRTIO_NET_TX) &&
	       ram_holds(&end->vm->machine->ram, chain->ipa, chain->left);
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Return how many bytes of the descriptor's memory are contiguous. */
static uint32_t contiguous(const struct virtio_net *end, const struct virtio_chain *chain)
{
	uint32_t to_page_end = PAGE_SIZE - (uint32_t)(chain->ipa % PAGE_SIZE);

	return end->vm->machine->ram.linear ? chain->left : least(chain->left, to_page_end);
}

static void *place(const struct virtio_net *end, const struct virtio_chain *chain)
{
	return (void *)(uintptr_t)ram_pa(&end->vm->machine->ram, chain->ipa);
}

static void advance(struct virtio_chain *chain, uint32_t size)
{
	chain->ipa += size;
	chain->left -= size;
}

/* Copy at most `most` bytes, with the receiver's header in place of the sender's. Return the number
 * of copied bytes. */
static uint32_t copy_piece(struct virtio_net *end, uint32_t most)
{
	static const struct virtio_net_header header = { .buffers = 1 };
	struct virtio_transfer *transfer = &end->transfer;
	struct virtio_chain *from = &transfer->from, *to = &transfer->to;
	const void *source = place(end->peer, from);
	uint32_t size = least(most, least(contiguous(end->peer, from), contiguous(end, to)));

	if (transfer->moved < HEADER) {
		source = (const uint8_t *)&header + transfer->moved;
		size = least(size, HEADER - transfer->moved);
	}
	/* argument: VIRTIO_NET_PART */
	memcpy(place(end, to), source, size);
	advance(from, size);
	advance(to, size);
	transfer->moved += size;
	return size;
}

/* Copy at most `*left` bytes, and subtract the copied bytes from `*left`. A descriptor may be
 * empty. */
static enum progress copy_step(struct virtio_net *end, uint32_t *left)
{
	struct virtio_transfer *transfer = &end->transfer;
	struct virtio_chain *from = &transfer->from, *to = &transfer->to;

	if (!from->left && !from->more)
		return transfer->moved > HEADER ? WHOLE : SENDER_IS_WRONG;
	if (!from->left && !next_descriptor(end->peer, VIRTIO_NET_TX, from))
		return SENDER_IS_WRONG;
	if (!from->left)
		return MORE;
	if (transfer->moved == FRAME_MOST)
		return SENDER_IS_WRONG;
	if (!to->left && !to->more)
		return TOO_LONG;
	if (!to->left && !next_descriptor(end, VIRTIO_NET_RX, to))
		return RECEIVER_IS_WRONG;
	*left -= copy_piece(end, least(*left, FRAME_MOST - transfer->moved));
	return MORE;
}

static enum progress copy_part(struct virtio_net *end)
{
	enum progress progress = MORE;
	uint32_t left = VIRTIO_NET_PART;

	/* bound: VIRTIO_NET_PART_STEPS; sum: VIRTIO_NET_PART */
	for (unsigned n = 0; n < VIRTIO_NET_PART_STEPS && left && progress == MORE; n++)
		progress = copy_step(end, &left);
	return progress;
}

/* The frame has `length` bytes in the receiver's buffer. */
static bool received(struct virtio_net *end, uint16_t from, uint16_t to, uint32_t length)
{
	end->received++;
	give_back(end, VIRTIO_NET_RX, to, length);
	give_back(end->peer, VIRTIO_NET_TX, from, 0);
	return true;
}

/* Copy a part of the frame. Return whether the rest of it, or another frame, may wait. */
static __cold bool go_on(struct virtio_net *end)
{
	struct virtio_transfer *transfer = &end->transfer;
	enum progress progress = copy_part(end);

	transfer->open = progress == MORE;
	switch (progress) {
	case MORE:
		return true;
	case WHOLE:
		return received(end, transfer->from.head, transfer->to.head, transfer->moved);
	case TOO_LONG:
		lose(end->peer, transfer->from.head);
		return true;
	case SENDER_IS_WRONG: /* stop the sender: it uses up no buffer and could go on for ever */
		break_down(end->peer);
		return false;
	default:
		break_down(end);
		return false;
	}
}

static struct virtio_chain chain_from(uint16_t head)
{
	return (struct virtio_chain){ .head = head, .next = head, .more = true };
}

static __cold bool begin(struct virtio_net *end, uint16_t from, uint16_t to)
{
	end->transfer = (struct virtio_transfer){
		.from = chain_from(from),
		.to = chain_from(to),
	};
	return go_on(end);
}

/* Receive one frame of the peer, or a part of it. Return false if there is no frame, or no buffer
 * for the frame. */
static bool receive(struct virtio_net *end)
{
	uint16_t from, to;
	uint32_t length;

	if (end->transfer.open)
		return go_on(end);
	if (!next_chain(end->peer, VIRTIO_NET_TX, &from) || !next_chain(end, VIRTIO_NET_RX, &to))
		return false;
	length = copy_at_once(end, from, to);
	if (length)
		return received(end, from, to, length);
	return begin(end, from, to);
}

/* The guest changes its queues: end the copies from and to the device. A frame of the other VM
 * stays in that VM's queue, and is copied from its beginning later. */
static void abandon(struct virtio_net *end)
{
	end->transfer.open = end->peer->transfer.open = false;
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

/* Return whether more data of `sender` waits, after a frame or a part of a frame has moved. */
static bool sends_more(const struct virtio_net *sender)
{
	const struct virtio_queue *queue = &sender->queue[VIRTIO_NET_TX];

	return queue->available->index != queue->next;
}

/* Move at most one frame, or a part of one. Return whether more waits. */
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

/* Another core has the cable: try again after the time that the last part took. */
static __cold void wait_for_cable(struct virtio_net *end, uint64_t now)
{
	end->rests_until = now + end->took;
	rest(end);
}

/* Move one frame or a part of it, and then rest for as long as that took. */
void virtio_net_kicked(struct virtio_net *end)
{
	uint64_t start = read_cntpct_el0(), now;
	bool more;

	if (start < end->rests_until) {
		rest(end);
		return;
	}
	if (!lock_try(end->cable)) {
		wait_for_cable(end, start);
		return;
	}
	more = move_one(end);
	lock_release(end->cable);
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
	abandon(end);
	lock_release(end->cable);
}

bool virtio_net_reset(struct virtio_net *end)
{
	if (!lock_try(end->cable))
		return false;
	reset_and_release(end);
	return true;
}

__cold void virtio_net_stop(struct virtio_net *end)
{
	lock_take(end->cable);
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
	abandon(end);
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
	default: /* low and high words of three addresses, 16 bytes apart */
		if (queue && offset - VIRTIO_QUEUE_DESC < 0x30 && !(offset & 0xb))
			write_address(queue, offset, value);
	}
}

static bool write_alone(struct virtio_net *end, uint32_t offset, uint32_t value)
{
	if (!lock_try(end->cable))
		return false;
	write_locked(end, offset, value);
	lock_release(end->cable);
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
