/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that programs physical SPIs of its VM's and has them sent to its vCPUs, one after the
 * other. Before each step it marks the UART with a `~` and a letter, so that QEMU's trace shows the
 * step's effect on the physical distributor; test_spis.py knows the letters. An error that
 * the guest itself sees stops the VM with the step's letter. With interrupts masked:
 * WFI ends for one that is pending. Defines: CPUS, 1 or 2; GIC, 2 or 3; SPI, the first one.
 */
#include <stdbool.h>
#include <stdint.h>

#include "guest_gic.h"
#include "vcpus.h"
#include "wrong.h"

#define A SPI       /* is sent */
#define B (SPI + 1) /* is programmed alone, and SPI + 2 is left alone */

#define PATIENCE 100000u
#define ARRIVAL 1000u /* what one vCPU writes has arrived at another one's core by then */

struct shared {
	uint32_t ready;
	uint32_t count, intid; /* what vCPU 1 received */
	uint32_t letter;
};

static volatile struct shared *const shared = (struct shared *)SHARED;

static void wrong(void)
{
	stop_with(shared->letter);
	for (;;)
		;
}

static void expect(bool well)
{
	if (!well)
		wrong();
}

static void step(char letter)
{
	for (unsigned i = 0; i < ARRIVAL; i++)
		__asm__ volatile("yield" ::: "memory");
	shared->letter = (uint8_t)letter;
	mmio_write32(UART, '~');
	mmio_write32(UART, (uint8_t)letter);
}

/* --- the CPU interface --- */

static void wait(void)
{
	__asm__ volatile("dsb sy\n\twfi" ::: "memory");
}

/* --- SPIs --- */

static void set_bit(unsigned bank, unsigned intid)
{
	mmio_write32(GICD + bank + intid / 32 * 4, 1u << intid % 32);
}

static bool bit(unsigned bank, unsigned intid)
{
	return mmio_read32(GICD + bank + intid / 32 * 4) >> intid % 32 & 1;
}

static void enable(unsigned intid)
{
	set_bit(0x100, intid);
}

static void disable(unsigned intid)
{
	set_bit(0x180, intid);
}

static void pend(unsigned intid)
{
	set_bit(0x200, intid);
}

/* Of another vCPU's interrupt a read may see what was, and what is after a while. */
static bool is_pending(unsigned intid)
{
	bit(0x200, intid);
	for (unsigned i = 0; i < ARRIVAL; i++)
		__asm__ volatile("yield" ::: "memory");
	return bit(0x200, intid);
}

static void set_edge(unsigned intid, bool edge)
{
	uintptr_t config = GICD + ICFGR + intid / 16 * 4;
	uint32_t mask = 2u << intid % 16 * 2, now = mmio_read32(config);

	mmio_write32(config, edge ? now | mask : now & ~mask);
}

static void set_priority(unsigned intid, uint8_t priority)
{
	mmio_write8(GICD + 0x400 + intid, priority);
	expect(mmio_read8(GICD + 0x400 + intid) == priority);
}

/* vCPU 0 is the one that A comes to; it is active then. */
static void arrives_here(void)
{
	uint32_t intid;

	while ((intid = acknowledge(false)) == SPURIOUS)
		wait();
	expect(intid == A);
	expect(!is_pending(A) && bit(0x300, A));
}

static void comes_here(void)
{
	arrives_here();
	end(false, A);
	expect(acknowledge(false) == SPURIOUS && shared->count == 0);
}

/* vCPU 1 is, and vCPU 0 is not: it does not ask before. */
static void comes_to_second(void)
{
	for (unsigned i = 0; i < PATIENCE && !shared->count; i++)
		__asm__ volatile("yield" ::: "memory");
	expect(shared->count == 1 && shared->intid == A);
	expect(!is_pending(A) && acknowledge(false) == SPURIOUS);
	shared->count = 0;
}

/* --- the steps --- */

static void program(void)
{
	step('a');
	set_priority(A, 0x90);
	set_priority(B, 0x48);
	set_edge(A, true);
	step('b');
	enable(A);
	enable(B);
	step('c');
	disable(B);
	step('d');
	pend(A);
	comes_here();
}

static void retarget(void)
{
	step('e');
	route(A, 1);
	step('f');
	pend(A);
	comes_to_second();
	step('g'); /* in a list register of vCPU 0, then pending at vCPU 1 */
	route(A, 0);
	pend(A);
	expect(is_pending(A));
	step('h');
	route(A, 1);
	comes_to_second();
	step('i'); /* pending, and not enabled */
	disable(A);
	pend(A);
	expect(is_pending(A));
	step('j');
	route(A, 0);
	expect(is_pending(A) && acknowledge(false) == SPURIOUS);
	step('k');
	enable(A);
	comes_here();
}

static void retarget_active(void)
{
	step('l'); /* active here, and pending for vCPU 1 after that */
	pend(A);
	arrives_here();
	step('m');
	route(A, 1);
	pend(A);
	expect(is_pending(A) && shared->count == 0);
	step('n');
	end(false, A);
	comes_to_second();
}

static void program_away(void)
{
	step('o'); /* its holder is another vCPU than the one that programs it */
	set_priority(A, 0x20);
	set_edge(A, false);
	step('p');
	disable(A);
	step('q'); /* nobody's */
	enable(A);
	route(A, NOBODY);
	pend(A);
	expect(is_pending(A) && acknowledge(false) == SPURIOUS && shared->count == 0);
	step('r');
	route(A, 0);
	comes_here();
	step('s'); /* as 'g' and 'h', but a level, which nothing holds high */
	pend(A);
	expect(is_pending(A));
	step('t');
	route(A, 1);
	comes_to_second();
}

static void start_second(void)
{
	expect(psci(CPU_ON, 1, (uintptr_t)second_start, 1) == 0);
	while (!shared->ready)
		__asm__ volatile("yield" ::: "memory");
}

void first_main(void)
{
	shared->ready = shared->count = 0; /* whatever ran before in this RAM */
	interface_on(0);
	if (CPUS > 1)
		start_second();
	program();
	if (CPUS > 1) {
		retarget();
		retarget_active();
		program_away();
	}
	step('z');
	mmio_write32(UART, '\n');
	psci(SYSTEM_OFF, 0, 0, 0);
}

void second_main(void)
{
	interface_on(1);
	shared->ready = 1;
	for (;;) {
		uint32_t intid = acknowledge(false);

		if (intid == SPURIOUS) {
			wait();
			continue;
		}
		end(false, intid);
		shared->intid = intid;
		shared->count++;
	}
}
