/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest whose vCPU 0 attacks without end, one step at a time: the core of its vCPU 1, its own
 * core, or the VM at the other end of its link. The page number of the device tree's address
 * chooses the attack: from 1 on, of attacks[]. vCPU 1 takes the interrupts that come. Defines: GIC,
 * 2 or 3; SPI, the first of four SPIs.
 */
#include "abi/virt.h"
#include "abi/virtio_net.h"
#include "guest_gic.h"
#include "vcpus.h"

#define SPIS 4u
#define SGIS 16u
#define BANKS 3u /* words with SPIs in each bank */
#define PAGE 0x1000u
#define NOTHING 0x3f000000u
#define PAGES 0x100u

static volatile uint32_t *const turns_off = (uint32_t *)SHARED; /* vCPU 1 always turns itself off */
static volatile uint32_t *const opened = (uint32_t *)SHARED + 1;

static void sgis(uint32_t n)
{
	send(n % SGIS, 2);
}

/* A read of vCPU 1's states asks its core for newer ones. */
static void kicks(uint32_t n)
{
	mmio_read32(GICD + ISPENDR + 4 * (1 + n % BANKS));
}

static void retargets(uint32_t n)
{
	uint32_t intid = SPI + n / 3 % SPIS;

	if (n % 3 == 1)
		mmio_write32(GICD + ISPENDR + intid / 32 * 4, 1u << intid % 32);
	else
		route(intid, n % 3 == 0);
}

/* Pend eight interrupts, more than there are list registers. */
static void refills(uint32_t n)
{
	mmio_write8(GICD + ISPENDR + 4 + n % (4 * BANKS), 0xff);
}

static void starts(uint32_t n)
{
	(void)n;
	psci(CPU_ON, 1, (uintptr_t)second_start, 1);
}

/* Do nothing: this VM is there for events. */
static void idles(uint32_t n)
{
	(void)n;
}

static void resets(uint32_t n)
{
	(void)n;
	psci(SYSTEM_RESET, 0, 0, 0);
}

/* Access an address without memory and without a device. */
static void faults(uint32_t n)
{
	mmio_read32(NOTHING + n);
}

/* Call any function with any arguments, except functions that end the VM or one of its vCPUs. */
static void calls(uint32_t n)
{
	static uint32_t seed = 1;
	uint32_t id = below(&seed, 2) ? PSCI_VERSION + below(&seed, 32) : below(&seed, ~0u);

	(void)n;
	if (id != CPU_SUSPEND && id != CPU_OFF && id != SYSTEM_OFF && id != SYSTEM_RESET)
		psci(id, below(&seed, ~0u), below(&seed, ~0u), below(&seed, ~0u));
}

/* --- frames --- */

#define CHAIN 16u /* descriptors of a frame */
#define CHAINS (VIRTIO_QUEUE_MOST / CHAIN)
#define QUEUES (SHARED + 0x10000u)
#define BYTES (SHARED + 0x20000u)

struct queue {
	struct virtio_descriptor descriptors[VIRTIO_QUEUE_MOST];
	struct virtio_available available;
	struct virtio_used used __attribute__((aligned(4)));
} __attribute__((aligned(2048)));

static struct queue *const tx = (struct queue *)QUEUES + VIRTIO_NET_TX;

static void device_write(uint32_t offset, uint32_t value)
{
	mmio_write32(VIRT_VIRTIO + offset, value);
}

static void start_queue(uint32_t which)
{
	uint32_t at = QUEUES + which * sizeof(struct queue);

	device_write(VIRTIO_QUEUE_SEL, which);
	device_write(VIRTIO_QUEUE_NUM, VIRTIO_QUEUE_MOST);
	device_write(VIRTIO_QUEUE_DESC, at);
	device_write(VIRTIO_QUEUE_DRIVER, at + offsetof(struct queue, available));
	device_write(VIRTIO_QUEUE_DEVICE, at + offsetof(struct queue, used));
	device_write(VIRTIO_QUEUE_READY, 1);
}

static void write_chains(uint32_t frame)
{
	for (unsigned i = 0; i < VIRTIO_QUEUE_MOST; i++) {
		uint32_t place = i % CHAIN;

		tx->descriptors[i] = (struct virtio_descriptor){
			.address = BYTES + place * 256,
			.length = place ? frame / (CHAIN - 1) : sizeof(struct virtio_net_header),
			.flags = place + 1 < CHAIN ? VIRTIO_DESC_NEXT : 0,
			.next = (uint16_t)(i + 1),
		};
	}
}

/* Open the device. Each chain has a header, and `frame` bytes in its other descriptors. */
static void open_device(uint32_t frame)
{
	write_chains(frame);
	device_write(VIRTIO_STATUS, 0);
	device_write(VIRTIO_STATUS, VIRTIO_ACKNOWLEDGE | VIRTIO_DRIVER);
	device_write(VIRTIO_DRIVER_FEATURES_SEL, 1);
	device_write(VIRTIO_DRIVER_FEATURES, VIRTIO_F_VERSION_1);
	device_write(VIRTIO_STATUS, VIRTIO_FEATURES_OK);
	tx->available.index = tx->used.index = 0;
	start_queue(VIRTIO_NET_RX);
	start_queue(VIRTIO_NET_TX);
	device_write(VIRTIO_STATUS, VIRTIO_DRIVER_OK);
	*opened = 1;
}

static void send_frames(uint32_t frame)
{
	volatile struct virtio_available *available = &tx->available;
	volatile struct virtio_used *used = &tx->used;

	if (!*opened)
		open_device(frame);
	while ((uint16_t)(available->index - used->index) < CHAINS) {
		available->ring[available->index % VIRTIO_QUEUE_MOST] =
			(uint16_t)(available->index % CHAINS * CHAIN);
		dsb_ish();
		available->index++;
	}
	device_write(VIRTIO_QUEUE_NOTIFY, VIRTIO_NET_TX);
}

static void frames(uint32_t n)
{
	(void)n;
	send_frames(1500);
}

/* Send a frame without a byte, which stops the device, and start the device again. */
static void empty_frames(uint32_t n)
{
	(void)n;
	if (mmio_read32(VIRT_VIRTIO + VIRTIO_STATUS) & VIRTIO_NEEDS_RESET)
		*opened = 0;
	send_frames(0);
}

static void (*const attacks[])(uint32_t n) = {
	idles, resets, faults, /* these use no GIC */
	sgis,  kicks,  retargets, refills, starts, calls, frames, empty_frames,
};
#define WITHOUT_GIC 3u

/* --- the guest --- */

static void take_all(void)
{
	uint32_t iar;

	while (((iar = acknowledge(false)) & 0x3ff) != SPURIOUS)
		end(false, iar);
}

static void begin(uint32_t vcpu)
{
	interface_on(vcpu);
	mmio_write32(private_of(vcpu) + ISENABLER, 0xffff);
}

/* Enable all SPIs, with vCPU 1 as their target. */
static void begin_spis(void)
{
	for (unsigned intid = 32; intid < 32 * (1 + BANKS); intid++)
		route(intid, 1);
	for (unsigned i = 0; i < 4 * BANKS; i++)
		mmio_write8(GICD + ISENABLER + 4 + i, 0xff);
}

void first_main(uintptr_t a0, uintptr_t a1, uintptr_t a2)
{
	uint32_t attack = (uint32_t)(sizeof(uintptr_t) == 8 ? a0 : a2) / PAGE % PAGES - 1;

	(void)a1;
	*turns_off = attacks[attack] == starts;
	*opened = 0;
	if (attack >= WITHOUT_GIC) {
		begin(0);
		begin_spis();
		psci(CPU_ON, 1, (uintptr_t)second_start, 1);
	}
	for (uint32_t n = 0;; n++) {
		attacks[attack](n);
		cpu_relax();
	}
}

void second_main(uint32_t vcpu)
{
	begin(vcpu);
	if (*turns_off)
		psci(CPU_OFF, 0, 0, 0);
	for (;;) {
		take_all();
		cpu_relax();
	}
}
