/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest whose exits are long. Each of its two vCPUs prepares its list registers, so that a refill
 * has much to do, and makes an exit; both choose at random. Interrupts are masked: a vCPU takes
 * them by polling. vCPU 0 has SPIs 32 to 63 and 96 to 127, vCPU 1 has the others, until they move.
 * If the address of the device tree is not 0, vCPU 1 only sleeps and takes the interrupts that wake
 * it. Defines: GIC, 2 or 3; SEED; ROUNDS.
 */
#include "guest/kernel/any_access.h"
#include "guest_gic.h"
#include "vcpus.h"

#define UART 0x09000000u
#define IMSC 0x38u
#define LCR_H 0x2cu
#define TIMER 27u
#define PHYSICAL_TIMER 30u
#define UART_INTID 33u
#define SPIS 96u
#define BOTH 3u
#define LINE_LENGTH 159u
#define SOON 400u /* ticks, more than an exit takes */
#define ISACTIVER 0x300u
#define ICPENDR 0x280u

void first_main(uintptr_t a0, uintptr_t a1, uintptr_t a2);
void second_main(uint32_t vcpu);

static uint32_t seeds[2], rounds[2];
static bool naps;

static uint32_t draw(uint32_t vcpu, uint32_t limit)
{
	return below(&seeds[vcpu], limit);
}

/* --- the CPU interface --- */

#if GIC == 2
static void split_ends(bool split)
{
	mmio_write32(GICC, 1 | (uint32_t)split << 9);
}

static void deactivate(uint32_t iar)
{
	mmio_write32(GICC + 0x1000, iar);
}
#else
static void split_ends(bool split)
{
	__asm__ volatile("msr s3_0_c12_c12_4, %0\n\tisb" ::"r"((uint64_t)split << 1)); /* CTLR */
}

static void deactivate(uint32_t iar)
{
	__asm__ volatile("msr s3_0_c12_c11_1, %0\n\tisb" ::"r"((uint64_t)iar)); /* DIR */
}
#endif

/* Return whether an interrupt was signalled. */
static bool take(void)
{
	uint32_t iar = acknowledge(false);

	if ((iar & 0x3ff) == SPURIOUS)
		return false;
	if ((iar & 0x3ff) == PHYSICAL_TIMER)
		cntp_set(0, 0);
	if ((iar & 0x3ff) == TIMER)
		cntv_set(0, 0);
	if ((iar & 0x3ff) == UART_INTID)
		mmio_write32(UART + IMSC, 0);
	end(false, iar);
	return true;
}

static void take_all(void)
{
	while (take())
		;
}

/* --- states --- */

/* Return a random SPI of the vCPU's own. */
static uint32_t own(uint32_t vcpu)
{
	return vcpu ? 64 + draw(vcpu, 32) : (draw(vcpu, 2) ? 32 : 96) + draw(vcpu, 32);
}

static uint32_t any(uint32_t vcpu)
{
	return 32 + draw(vcpu, SPIS);
}

/* Return log2 of the size of an access: any that the core has. */
static uint32_t width(uint32_t vcpu)
{
	return draw(vcpu, sizeof(uintptr_t) == 8 ? 4 : 3);
}

static uintptr_t aligned(uintptr_t address, uint32_t log2_size)
{
	return address & -((uintptr_t)1 << log2_size);
}

static void set(uint32_t bank, uint32_t intid)
{
	mmio_write8(GICD + bank + intid / 8, (uint8_t)(1u << intid % 8));
}

/* Pend more interrupts than there are list registers. Some of the most urgent ones end, so that
 * list registers are empty while others wait. */
static void waiting(uint32_t vcpu)
{
	for (uint32_t n = 8 + draw(vcpu, 4); n; n--)
		set(ISPENDR, own(vcpu));
	for (uint32_t n = draw(vcpu, 2) ? 3 : draw(vcpu, 4); n; n--)
		take();
}

static void nested(uint32_t vcpu, uint32_t exit);
static void make_exit(uint32_t vcpu, uint32_t exit);

static void deactivate_private(uint32_t vcpu)
{
	mmio_write32(private_of(vcpu) + ICACTIVER, ~0u);
}

static void deactivate_all(uint32_t vcpu)
{
	deactivate_private(vcpu);
	for (unsigned word = 1; word < 4; word++)
		mmio_write32(GICD + ICACTIVER + 4 * word, ~0u);
}

/* --- exits --- */

static void sleeps(uint32_t vcpu)
{
	deactivate_private(vcpu); /* an active timer would not wake the vCPU */
	take_all();
	cntv_set(SOON, 1);
	sleep();
}

static void suspends(uint32_t vcpu)
{
	deactivate_private(vcpu);
	take_all();
	cntv_set(SOON, 1);
	psci(CPU_SUSPEND, draw(vcpu, 2) << 16, (uintptr_t)second_start, vcpu);
}

static void timer_is_due(uint32_t vcpu)
{
	(void)vcpu;
	cntp_set(0, 1);
}

static void timer_will_be_due(uint32_t vcpu)
{
	uint64_t until = read_cntpct_el0() + SOON;

	cntp_at(until, 1);
	while (read_cntpct_el0() < until + SOON)
		;
	(void)vcpu;
}

static void sends(uint32_t vcpu)
{
	send(draw(vcpu, 16), 1 + draw(vcpu, BOTH));
}

static void sets_state(uint32_t vcpu)
{
	static const uint16_t banks[] = { ISPENDR,   ISPENDR,   ISPENDR,  ICPENDR,
					  ISACTIVER, ICACTIVER, ISENABLER };

	set(banks[draw(vcpu, 7)], any(vcpu));
}

static void sets_states(uint32_t vcpu)
{
	uintptr_t at = GICD + ISPENDR + 0x80 * draw(vcpu, 4) + 4 + draw(vcpu, 9);
	uint32_t size = width(vcpu);

	write_any(aligned(at, size), size, 0x100000001u << draw(vcpu, 32));
}

static void sets_private_states(uint32_t vcpu)
{
	uintptr_t bank = private_of(draw(vcpu, 2)) + ISPENDR + 0x80 * draw(vcpu, 4);

	mmio_write32(bank, draw(vcpu, 2) ? 1u << draw(vcpu, 32) : draw(vcpu, ~0u));
}

static void reads_states(uint32_t vcpu)
{
	uintptr_t at = GICD + ISPENDR + 0x80 * draw(vcpu, 4) + draw(vcpu, 16);
	uint32_t size = width(vcpu);

	read_any(aligned(at, size), size);
}

static void reads_private_states(uint32_t vcpu)
{
	uintptr_t at = private_of(draw(vcpu, 2)) + ISPENDR + 0x80 * draw(vcpu, 4);
	uint32_t size = width(vcpu);

	read_any(aligned(at + draw(vcpu, 4), size), size);
}

static void sets_priorities(uint32_t vcpu)
{
	uint32_t size = width(vcpu);

	write_any(aligned(GICD + IPRIORITYR + any(vcpu), size), size,
		  (uint64_t)draw(vcpu, ~0u) << 5);
}

static void moves(uint32_t vcpu)
{
	route(any(vcpu), draw(vcpu, 2));
}

static void changes_groups(uint32_t vcpu)
{
	mmio_write32(GICD + IGROUPR + 4 * (1 + draw(vcpu, 3)), GIC == 2 ? 0 : draw(vcpu, ~0u));
	mmio_write32(GICD, GIC == 2 ? 0 : 0x10);
	mmio_write32(GICD, GIC == 2 ? 1 : 0x12);
}

static void changes_triggers(uint32_t vcpu)
{
	mmio_write32(GICD + ICFGR + 4 * (2 + draw(vcpu, 6)), draw(vcpu, ~0u));
}

static void deactivates(uint32_t vcpu)
{
	uint32_t iar;

	split_ends(true);
	for (uint32_t n = 1 + draw(vcpu, 3); n; n--) {
		iar = acknowledge(false);
		if ((iar & 0x3ff) == SPURIOUS)
			break;
		end(false, iar);
		deactivate(iar);
	}
	split_ends(false);
}

static void nests(uint32_t vcpu)
{
	nested(vcpu, draw(vcpu, 4));
}

/* Write a line, which is sent with the VM's name. */
static void writes_line(uint32_t vcpu)
{
	for (uint32_t n = LINE_LENGTH; n; n--)
		mmio_write32(UART, 'a' + vcpu);
	mmio_write32(UART, '\n');
}

static void touches_uart(uint32_t vcpu)
{
	mmio_write32(UART + LCR_H, draw(vcpu, 2) << 4);  /* LCR_H.FEN */
	mmio_write32(UART + IMSC, draw(vcpu, 2) * 0x70); /* IMSC */
	mmio_read32(UART + 4 * draw(vcpu, 18));
}

/* Read DBGBCR0. */
static void reads_debug(uint32_t vcpu)
{
	uintptr_t value;

	(void)vcpu;
#ifdef __aarch64__
	__asm__ volatile("mrs %0, dbgbcr0_el1" : "=r"(value));
#else
	__asm__ volatile("mrc p14, 0, %0, c0, c0, 5" : "=r"(value));
#endif
}

static void changes_power(uint32_t vcpu)
{
	if (vcpu)
		psci(CPU_OFF, 0, 0, 0);
	else
		psci(CPU_ON, 1, (uintptr_t)second_start, 1);
}

static void (*const exits[])(uint32_t vcpu) = {
	timer_is_due,
	timer_will_be_due,
	sends,
	sets_state,
	sets_states,
	reads_states,
	sets_priorities,
	sets_private_states,
	moves,
	deactivates,
	changes_groups,
	changes_triggers,
	reads_private_states,
	sleeps,
	suspends,
	touches_uart,
	nests,
	reads_debug,
};
#define EXITS (sizeof(exits) / sizeof(exits[0]))

static void make_exit(uint32_t vcpu, uint32_t exit)
{
	exits[exit % EXITS](vcpu);
}

/* Make more nested interrupts active than there are list registers. They end after the exit, the
 * last one first. */
static void nested(uint32_t vcpu, uint32_t exit)
{
	uint32_t iars[6], n;

	for (n = 0; n < 6; n++) {
		uint32_t intid = own(vcpu);

		mmio_write8(GICD + IPRIORITYR + intid, (uint8_t)(0xe0 - 0x20 * n));
		set(ISPENDR, intid);
		iars[n] = acknowledge(false);
		if ((iars[n] & 0x3ff) == SPURIOUS)
			break;
	}
	waiting(vcpu);
	make_exit(vcpu, exit);
	while (n--)
		end(false, iars[n]);
}

/* --- the guest --- */

static void begin(uint32_t vcpu)
{
	interface_on(vcpu);
	mmio_write32(private_of(vcpu) + ISENABLER, ~0u);
	for (uint32_t i = 0; i < 32; i++)
		mmio_write8(private_of(vcpu) + IPRIORITYR + i, (uint8_t)((31 - i) << 3));
}

static void begin_spis(void)
{
	for (unsigned intid = 32; intid < 32 + SPIS; intid++) {
		route(intid, intid / 32 == 2);
		mmio_write8(GICD + IPRIORITYR + intid, (uint8_t)(intid * 40));
	}
	for (unsigned word = 1; word < 4; word++)
		mmio_write32(GICD + ISENABLER + 4 * word, ~0u);
}

static void run(uint32_t vcpu)
{
	while (rounds[vcpu]++ < ROUNDS) {
		waiting(vcpu);
		if (draw(vcpu, 2))
			cpu_relax();
		make_exit(vcpu, draw(vcpu, EXITS));
		cpu_relax();
		if (draw(vcpu, 8) == 0)
			take_all();
		if (draw(vcpu, 32) == 0)
			deactivate_all(vcpu);
		if (draw(vcpu, 128) == 0)
			writes_line(vcpu);
		if (draw(vcpu, 8) == 0)
			sleeps(vcpu);
		if (draw(vcpu, vcpu ? 64 : 4) == 0)
			changes_power(vcpu);
	}
}

static void nap(void)
{
	for (;;) {
		take_all();
		sleep();
	}
}

void first_main(uintptr_t a0, uintptr_t a1, uintptr_t a2)
{
	(void)a1;
	naps = sizeof(uintptr_t) == 8 ? a0 : a2;
	seeds[0] = SEED;
	seeds[1] = SEED + 1;
	rounds[0] = rounds[1] = 0;
	begin(0);
	begin_spis();
	psci(CPU_ON, 1, (uintptr_t)second_start, 1);
	second_main(0);
}

/* A vCPU also begins here after a suspension that loses its state. */
void second_main(uint32_t vcpu)
{
	begin(vcpu);
	if (vcpu && naps)
		nap();
	run(vcpu);
	psci(vcpu ? CPU_OFF : SYSTEM_OFF, 0, 0, 0);
}
