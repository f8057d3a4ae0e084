/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/secondary.h"

#include "abi/link.h"
#include "abi/plan.h"
#include "abi/probe.h"
#include "arch/barrier.h"
#include "arch/cache.h"
#include "arch/counter.h"
#include "arch/hypercall.h"
#include "arch/sysreg.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/mmu.h"

#define PSCI_CPU_ON 0x84000003u /* DEN0022 5.4 */
#define PATIENCE 10000000u      /* ticks */

/* Values for secondary.S, 64 bits each, in the order in which secondary.S reads them. */
struct secondary_control {
	uint64_t tcr, mair, ttbr0, vbar, sctlr;
};

extern struct secondary_control secondary_control;
extern uint8_t secondary_stacks[PLAN_VM_CPUS - 1][1u << SECONDARY_STACK_SHIFT];
extern char guest_secondary_entry[];
_Noreturn void secondary_main(reg_t index);

struct secondary_control secondary_control;
__attribute__((aligned(64)))
uint8_t secondary_stacks[PLAN_VM_CPUS - 1][1u << SECONDARY_STACK_SHIFT];
static struct vcpu_stamps private_stamps[PLAN_VM_CPUS];
static struct vcpu_stamps *stamps_of;
static const volatile struct probe_stamps *probe;
static void (*work_of_vcpu_1)(void); /* NULL: each vCPU stamps */

/*
 * Read `issued` before the counter: a pause between the two reads makes `first` no earlier than it
 * is.
 */
static _Noreturn void stamp(reg_t index)
{
	struct vcpu_stamps *own = &stamps_of[index];

	for (;;) {
		uint32_t issued = (uint32_t)probe->issued;
		uint32_t now = (uint32_t)counter_read();

		if (issued != own->seen) {
			own->first = now;
			own->seen = issued;
		}
		own->last = now;
		cpu_relax(); /* an emulator of several cores switches to the next core */
	}
}

_Noreturn void secondary_main(reg_t index)
{
	while (work_of_vcpu_1)
		work_of_vcpu_1();
	stamp(index);
}

struct vcpu_stamps *secondary_window(const struct guest_run *run)
{
	uintptr_t window = (uintptr_t)run->link_base + LINK_WINDOW;

	if (!run->link_base || run->link_kind != PLAN_LINK_DOORBELL)
		return private_stamps;
	mmu_map_memory(window, LINK_WINDOW_SIZE);
	return (struct vcpu_stamps *)window;
}

static void cpu_on(unsigned index)
{
	reg_t result = hvc(PSCI_CPU_ON, index, (uintptr_t)guest_secondary_entry);

	if (result != 0)
		guest_refuse("a vCPU does not start, PSCI's result", result);
}

static void start(unsigned index)
{
	const volatile uint32_t *last = &stamps_of[index].last;
	uint32_t before = *last;
	uint64_t begin = counter_read();

	cpu_on(index);
	while (*last == before) {
		if (counter_read() - begin > PATIENCE)
			guest_refuse("a vCPU does not begin", index);
		cpu_relax();
	}
}

/* Clean the values to memory: a vCPU starts with its MMU off and does not read the caches. */
static void prepare(const struct guest_run *run)
{
	probe = (const volatile struct probe_stamps *)((uintptr_t)run->ram_base +
						       GUEST_PROBE_OFFSET);
	secondary_control = (struct secondary_control){
		.tcr = read_tcr_el1(),
		.mair = read_mair_el1(),
		.ttbr0 = read_ttbr0_el1(),
		.vbar = read_vbar_el1(),
		.sctlr = read_sctlr_el1(),
	};
	dcache_clean_invalidate((uintptr_t)&secondary_control, sizeof(secondary_control));
}

void secondary_start(const struct guest_run *run, struct vcpu_stamps *stamps)
{
	stamps_of = stamps;
	prepare(run);
	for (unsigned i = 1; i < run->vcpu_count; i++)
		start(i);
}

/* The store of `work_of_vcpu_1` is visible to vCPU 1, whose MMU and caches are on when it loads. */
void secondary_run(const struct guest_run *run, void (*work)(void))
{
	work_of_vcpu_1 = work;
	prepare(run);
	cpu_on(1);
}
