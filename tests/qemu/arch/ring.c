/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest whose vCPUs sleep and take turns: in its turn a vCPU sleeps until its timer's interrupt
 * and then sends the next vCPU an SGI. A lost interrupt leaves all vCPUs asleep. An interrupt that
 * was not sent stops the VM with the vCPU's number, and a clock that goes back stops the VM with 8
 * plus that number. The guest runs with interrupts masked. Defines: CPUS; GIC, 2 or 3; ROUNDS,
 * after which the guest ends.
 */
#include "guest_gic.h"
#include "vcpus.h"
#include "wrong.h"

#define TIMER 27u
#define TURN 1u /* the SGI that gives the turn */
#define TICKS 2000u

static void sleep_until(uint32_t vcpu, uint32_t intid)
{
	uint32_t iar = next_interrupt();

	if ((iar & 0x3ff) != intid)
		stop_with(vcpu);
	cntv_at(0, 0);
	end(false, iar);
}

static void turn(uint32_t vcpu)
{
	uint64_t until = count() + TICKS;

	cntv_at(until, 1);
	sleep_until(vcpu, TIMER);
	if (count() < until)
		stop_with(8 + vcpu);
	send(TURN, 1u << (vcpu + 1) % CPUS);
}

static void begin(uint32_t vcpu)
{
	interface_on(vcpu);
	mmio_write32(private_of(vcpu) + ISENABLER, 1u << TIMER | 1u << TURN);
}

void first_main(void)
{
	begin(0);
	for (uint32_t vcpu = 1; vcpu < CPUS; vcpu++)
		psci(CPU_ON, vcpu, (uintptr_t)second_start, vcpu);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		turn(0);
		sleep_until(0, TURN);
	}
	psci(SYSTEM_OFF, 0, 0, 0);
}

void second_main(uint32_t vcpu)
{
	begin(vcpu);
	for (;;) {
		sleep_until(vcpu, TURN);
		turn(vcpu);
	}
}
