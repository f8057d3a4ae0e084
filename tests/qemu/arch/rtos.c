/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that uses its machine as Zephyr and FreeRTOS do (docs/howto/rtos.md): a tick by CNTV's
 * compare value at the lowest usable priority, two tasks that the tick alone switches, a critical
 * section by the priority mask, and a look at how many priorities there are. It prints what it
 * found and powers off. Defines: GIC, 2 or 3.
 */
#include "arch/mmio.h"
#include "guest_core.h"
#include "guest_gic.h"
#include "vcpus.h"

#define TICK 27u /* the PPI of CNTV */
#define TICKS 20u
#define CRITICAL_AT 5u
#define PERIOD 20000u
#define PRIORITY 0xf0u /* of 32 priorities, the lowest that the mask 0xff lets through */
#define CRITICAL 0x90u
#define STACK_WORDS 512

enum { HELD_BACK = 1, TAKEN_AFTER = 2, INTID = 4, RUNNING_PRIORITY = 8 };

static uintptr_t stack[STACK_WORDS] __attribute__((aligned(16))); /* of task 1 */
static uintptr_t tops[2];                                         /* of the tasks that wait */
static volatile uint32_t current, ticks, wrong, turns[2];
static uint64_t deadline;

uintptr_t on_irq(uintptr_t top);
void task(uintptr_t own);

#ifdef __aarch64__
#define FRAME 34 /* rtos_armv8.S: x0 to x30, ELR, SPSR, nothing */
#define FRAME_PC 31
#define START_STATE 5u /* EL1h */

static void barrier(void)
{
	__asm__ volatile("dsb sy\n\tisb" ::: "memory");
}
#else
#define FRAME 16 /* rtos_armv7.S: r0 to r12, LR, PC, CPSR */
#define FRAME_PC 14
#define START_STATE 0x13u /* Supervisor mode */

static void barrier(void)
{
	__asm__ volatile("dsb\n\tisb" ::: "memory");
}
#endif

#if GIC == 2
static void mask_priorities(uint32_t mask)
{
	mmio_write32(GICC + 4, mask);
	barrier();
}

static uint32_t running_priority(void)
{
	return mmio_read32(GICC + 0x14);
}
#else
static void mask_priorities(uint64_t mask)
{
	__asm__ volatile("msr s3_0_c4_c6_0, %0" ::"r"(mask)); /* ICC_PMR_EL1 */
	barrier();
}

static uint32_t running_priority(void)
{
	uint64_t priority;

	__asm__ volatile("mrs %0, s3_0_c12_c11_3" : "=r"(priority)); /* ICC_RPR_EL1 */
	return (uint32_t)priority;
}
#endif

static void print_number(char name, uint32_t value)
{
	print((char[]){ name, 0 });
	print_hex(value, 2);
	print("\n");
}

static void expect(bool well, uint32_t what)
{
	if (!well)
		wrong |= what;
}

/* The other task's registers are on its stack, from `top` on. */
uintptr_t on_irq(uintptr_t top)
{
	uint32_t iar = acknowledge(false);

	expect((iar & 0x3ff) == TICK, INTID);
	expect(running_priority() == PRIORITY, RUNNING_PRIORITY);
	ticks++;
	deadline += PERIOD;
	cntv_at(deadline, 1);
	end(false, iar);
	tops[current] = top;
	current ^= 1;
	return tops[current];
}

/* Interrupts are on in the core, yet the tick waits for the mask. */
static void critical_section(void)
{
	mask_priorities(CRITICAL);
	uint32_t before = ticks;
	uint64_t until = deadline + PERIOD / 4;
	while (count() < until)
		;
	expect(ticks == before, HELD_BACK);
	mask_priorities(0xff);
	expect(ticks != before, TAKEN_AFTER);
}

void task(uintptr_t own)
{
	bool was_critical = false;

	while (ticks < TICKS || own != 0) {
		turns[own]++;
		if (ticks >= CRITICAL_AT && !was_critical) {
			was_critical = true;
			critical_section();
		}
	}
	print_number('w', wrong);
	print_number('t', (turns[0] > 0) + (turns[1] > 0));
	psci(SYSTEM_OFF, 0, 0, 0);
}

void first_main(void)
{
	uintptr_t priority = private_of(0) + IPRIORITYR + TICK;
	uintptr_t *frame = stack + STACK_WORDS - FRAME;

	mmio_write8(priority, 0xff);
	uint32_t bits = mmio_read8(priority);
	mmio_write8(priority, PRIORITY);
	interface_on(0);
	mmio_write32(private_of(0) + ISENABLER, 1u << TICK);
	print_number('p', bits);
	frame[0] = 1;
	frame[FRAME_PC] = (uintptr_t)task;
	frame[FRAME_PC + 1] = START_STATE;
	tops[1] = (uintptr_t)frame;
	deadline = count() + PERIOD;
	cntv_at(deadline, 1);
	unmask();
	task(0);
}
