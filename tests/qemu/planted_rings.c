/* SPDX-License-Identifier: Apache-2.0 */
/* Planted in guest/loads/load_echo.c. Every eighth round: queues of any place, size and content,
 * registers in any order, frames that leave the VM's RAM; then a driver begins anew. */
#define AREA 0x10000u
#define WORDS (AREA / 4)

static uintptr_t area;

static uint32_t any(void)
{
	static uint32_t seed = 1;

	seed = seed * 1664525u + 1013904223u;
	return seed >> 8;
}

/* In another VM's RAM, if EL2 does not check the bounds of this VM's RAM. */
static uint32_t neighbour(void)
{
	const struct guest_run *run =
		(const void *)((uintptr_t)rounds - offsetof(struct guest_run, rounds));
	uint32_t away = (1 + any() % 2) * (uint32_t)run->ram_size;

	return (uint32_t)run->ram_base + (any() % 2 ? away : 0 - away) + any() % AREA / 16 * 16;
}

static uint32_t any_value(void)
{
	switch (any() % 4) {
	case 0:
		return any() % 2 ? neighbour() : any() << 8 | any();
	case 1:
		return any() % 80;
	default: /* in the area */
		return (uint32_t)area + any() % AREA / 16 * 16;
	}
}

static void set(uintptr_t base, uint32_t offset, uint32_t value)
{
	mmio_write32(base + offset, value);
}

static void any_queue(uintptr_t base, uint32_t which)
{
	set(base, VIRTIO_QUEUE_SEL, which);
	set(base, VIRTIO_QUEUE_NUM, any() % 4 ? 1u << any() % 7 : any_value());
	for (uint32_t at = VIRTIO_QUEUE_DESC; at <= VIRTIO_QUEUE_DEVICE; at += 0x10) {
		set(base, at, any() % 8 ? (uint32_t)area + any() % AREA / 16 * 16 : any_value());
		set(base, at + 4, any() % 16 ? 0 : any_value());
	}
	set(base, VIRTIO_QUEUE_READY, 1);
}

static void begin_driver(uintptr_t base)
{
	set(base, VIRTIO_STATUS, 0);
	set(base, VIRTIO_STATUS, VIRTIO_ACKNOWLEDGE | VIRTIO_DRIVER);
	set(base, VIRTIO_DRIVER_FEATURES_SEL, 1);
	set(base, VIRTIO_DRIVER_FEATURES, VIRTIO_F_VERSION_1);
	set(base, VIRTIO_STATUS, VIRTIO_FEATURES_OK);
}

/* A frame of which only the first `inside` bytes are in this VM's RAM: the device must break. */
static void send_past_ram(const struct guest_run *run, uint32_t inside)
{
	volatile struct virtio_descriptor *descriptor = (void *)area;
	volatile struct virtio_available *available = (void *)(area + 0x400);
	volatile struct virtio_used *used = (void *)(area + 0x800);
	uintptr_t base = (uintptr_t)run->link_base;

	begin_driver(base);
	descriptor->address = run->ram_base + run->ram_size - inside;
	descriptor->length = 64;
	descriptor->flags = 0;
	available->ring[0] = 0;
	available->index = 1;
	used->index = 0;
	set(base, VIRTIO_QUEUE_SEL, VIRTIO_NET_TX);
	set(base, VIRTIO_QUEUE_NUM, VIRTIO_QUEUE_MOST);
	for (uint32_t i = 0; i < 3; i++) {
		set(base, VIRTIO_QUEUE_DESC + 0x10 * i, (uint32_t)area + 0x400 * i);
		set(base, VIRTIO_QUEUE_DESC + 0x10 * i + 4, 0);
	}
	set(base, VIRTIO_QUEUE_READY, 1);
	set(base, VIRTIO_STATUS, VIRTIO_DRIVER_OK);
	set(base, VIRTIO_QUEUE_NOTIFY, VIRTIO_NET_TX);
	while (!(mmio_read32(base + VIRTIO_STATUS) & VIRTIO_NEEDS_RESET))
		if (used->index)
			__builtin_trap();
}

static void break_rings(void)
{
	static unsigned count;
	const struct guest_run *run =
		(const void *)((uintptr_t)rounds - offsetof(struct guest_run, rounds));
	uintptr_t base = (uintptr_t)run->link_base;

	if (++count % 8)
		return;
	irq_mask();
	if (!area) {
		area = (uintptr_t)mmu_free_start() + 0x100000;
		mmu_map_memory(area, AREA);
	}
	for (unsigned i = 0; i < WORDS; i++) {
		uint32_t flags_and_next = any() % 4 | (any() % 64) << 16;
		uint32_t most[] = { any_value(), 0, any_value(), flags_and_next };

		((volatile uint32_t *)area)[i] = any() % 8 ? most[i % 4] : any_value();
	}
	begin_driver(base);
	any_queue(base, VIRTIO_NET_RX);
	any_queue(base, VIRTIO_NET_TX);
	set(base, VIRTIO_STATUS, VIRTIO_DRIVER_OK);
	for (unsigned i = 0; i < 8; i++) {
		set(base, VIRTIO_QUEUE_NOTIFY, any() % 3);
		if (any() % 4 == 0)
			set(base, any() & 0xfc, any_value());
	}
	send_past_ram(run, 0);
	send_past_ram(run, 32);
	window = link_open(run, on_ring);
	window->heard = counter_read(); /* of a request that came meanwhile */
	link_answer(window);
	link_ring();
	irq_unmask();
}
