/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads that give the core to the measured VM, each time with a stamp:
 *   load_yield        yields the rest of each turn
 *   active_call       is the active VM of a pair, which fails over by a hypercall
 *   active_heartbeat  is the active VM, which hangs after a heartbeat
 *   active_fault      is the active VM, which faults: it stores the stamp to EL2's memory
 *   active_interrupt  is the active VM, beside which the standby's SPI fires
 *   active_control    is the active VM, whose pause a third VM, the control VM, commands
 *   active_random     does one of the first four active loads at random each time. In most pauses
 *                     this VM's timer expires, and an SGI to itself is pending: the VM refuses the
 *                     step if an interrupt is lost or comes twice
 * If the pair has a link, the vCPUs of the active VM also stamp its window. vCPU 0 stamps it only
 * under active_control; under the other loads its last stamp is the stamp that it hands over.
 */
#include "arch/barrier.h"
#include "arch/counter.h"
#include "arch/hypercall.h"
#include "arch/mmio.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/irq.h"
#include "guest/kernel/mmu.h"
#include "guest/kernel/secondary.h"
#include "guest/kernel/vtimer.h"
#include "guest/loads/load.h"
#include "guest_arch/ops.h"
#include "lib/bits.h"
#include "lib/random.h"

#define HEARTBEAT_TICKS 5000u
#define INTERRUPT_TICKS 5000u
#define COMMAND_TICKS 7000u

static void yield_round(uintptr_t piece)
{
	(void)piece;
	hvc(HC_ID(YIELD), (uint32_t)counter_read(), 0);
}

static struct vcpu_stamps *own_stamps;

static void stamps_begin(const struct guest_run *run)
{
	own_stamps = secondary_window(run);
	own_stamps[0].last = (uint32_t)counter_read();
	secondary_start(run, own_stamps);
}

static void call_round(uintptr_t piece)
{
	(void)piece;
	hvc(HC_ID(FAIL_OVER), (uint32_t)counter_read(), 0);
}

static void heartbeat_round(uintptr_t piece)
{
	uint64_t deadline = counter_read() + 2 * HEARTBEAT_TICKS;

	(void)piece;
	hvc(HC_ID(HEARTBEAT), HEARTBEAT_TICKS, 0);
	while (counter_read() < deadline)
		;
}

static uintptr_t not_ours;

static void fault_begin(const struct guest_run *run)
{
	not_ours = (uintptr_t)run->hyp_base;
	mmu_map_memory(not_ours, PAGE_SIZE);
	stamps_begin(run);
}

static void fault_round(uintptr_t piece)
{
	(void)piece;
	mmio_write32(not_ours, (uint32_t)counter_read());
}

static unsigned takeover_spi;

static void interrupt_begin(const struct guest_run *run)
{
	takeover_spi = run->physical_spi_first + run->physical_spi_count - 1;
}

/* Raise the standby's SPI and wait: a VM on another core continues for a while. */
static void raise_and_wait(uint64_t ticks)
{
	uint64_t until = counter_read() + ticks;

	hvc(HC_ID(RAISE), takeover_spi, 0);
	while (counter_read() < until)
		cpu_relax();
}

static void interrupt_round(uintptr_t piece)
{
	(void)piece;
	raise_and_wait(INTERRUPT_TICKS);
}

/* --- random choice of these loads --- */

#define EXPIRY_MOST 12000u
#define TURNS_TICKS 300000u
#define OWN_SGI 3u

static struct random random;
static volatile uint32_t expiries, sgis;

static void on_expiry(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	vtimer_quiet();
	expiries++;
}

static void on_own_sgi(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	sgis++;
}

static void random_begin(const struct guest_run *run)
{
	fault_begin(run);
	interrupt_begin(run);
	random_init(&random, run->bench.params.seed, 1);
	irq_set_handler(run->virt_timer_intid, on_expiry);
	irq_set_handler(OWN_SGI, on_own_sgi);
	gic_enable(run->virt_timer_intid);
	gic_enable(OWN_SGI);
}

/* Wait until the turns of other VMs have let both cores answer. An interrupt raised before that
 * would fail over a second time. */
static void raise_round(uintptr_t piece)
{
	(void)piece;
	raise_and_wait(TURNS_TICKS);
}

static void random_round(uintptr_t piece)
{
	static void (*const rounds[])(uintptr_t) = { call_round, heartbeat_round, fault_round,
						     raise_round };
	static uint32_t count;
	uint64_t start = read_cntvct_el0();

	count++;
	write_cntv_cval_el0(start + random_below(&random, EXPIRY_MOST));
	write_cntv_ctl_el0(VTIMER_ENABLE);
	gic_send_sgi_self(OWN_SGI);
	rounds[random_below(&random, ARRAY_SIZE(rounds))](piece);
	irq_unmask();
	while (read_cntvct_el0() - start < 2 * EXPIRY_MOST && expiries < count)
		;
	irq_mask();
	if (expiries != count || sgis != count)
		guest_refuse("an interrupt of the active VM was lost, or came twice: timer, SGI",
			     (uint64_t)expiries << 32 | sgis);
}

/* --- a control VM commands --- */

static void stamp_round(uintptr_t piece)
{
	(void)piece;
	own_stamps[0].last = (uint32_t)counter_read();
}

static void on_timer(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	vtimer_quiet();
}

static void control_begin(const struct guest_run *run)
{
	irq_set_handler(run->virt_timer_intid, on_timer);
	gic_enable(run->virt_timer_intid);
}

/* The control VM's core is free for other VMs meanwhile. EL2 refuses a command that finds the
 * active VM paused. */
static void control_round(uintptr_t piece)
{
	uint64_t until = counter_read() + COMMAND_TICKS;

	(void)piece;
	vtimer_arm(until);
	while (counter_read() < until)
		wfi();
	irq_unmask();
	irq_mask();
	hvc(HC_ID(SWITCH_OVER), (uint32_t)counter_read(), 0);
}

static const struct load load_yield = { .beside = "load_yield", .round = yield_round };
static const struct load active_call = { .beside = "active_call",
					 .begin = stamps_begin,
					 .round = call_round };
static const struct load active_heartbeat = { .beside = "active_heartbeat",
					      .round = heartbeat_round };
static const struct load active_fault = { .beside = "active_fault",
					  .begin = fault_begin,
					  .round = fault_round };
static const struct load active_control = { .beside = "active_control",
					    .begin = stamps_begin,
					    .round = stamp_round,
					    .control_begin = control_begin,
					    .control_round = control_round };
static const struct load active_interrupt = { .beside = "active_interrupt",
					      .begin = interrupt_begin,
					      .round = interrupt_round };
static const struct load active_random = { .beside = "active_random",
					   .begin = random_begin,
					   .round = random_round };
LOAD(load_yield);
LOAD(active_call);
LOAD(active_heartbeat);
LOAD(active_fault);
LOAD(active_interrupt);
LOAD(active_control);
LOAD(active_random);
