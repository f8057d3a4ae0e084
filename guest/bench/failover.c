/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time from another VM to this VM (docs/neighbours.md). In vm_yield both share one core, and
 * the other VM yields its turn. In failover the other VM is the active VM of a pair and this VM is
 * its standby, on one core or two. In each sample this VM gives the core away by a hypercall, and
 * the other VM gives it back.
 *   yield      the other VM's stamp before HC_YIELD -> this VM's first stamp after its own
 *              hypercall
 *   call       the active VM's stamp before HC_FAIL_OVER -> this VM's first stamp
 *   fault      the active VM's stamp before a store that stage 2 does not map -> this VM's
 *              first stamp
 *   interrupt  EL2's stamp before it pends the standby's SPI for the active VM (HC_RAISE) -> this
 *              VM's first stamp
 *   heartbeat  the deadline of HC_HEARTBEAT that no other call preceded -> this VM's first
 *              stamp
 *   control    a third VM's stamp before its command HC_SWITCH_OVER -> this VM's first stamp
 *   random     a random choice of call, fault, interrupt and heartbeat: the begin of the fail over
 *              in EL2 -> this VM's first stamp. In each pause of the checks this VM's timer
 *              expires at random, or not yet, and an SGI to itself is pending (check `sgis`)
 * The phases of all variants but random add up:
 *   <way>-begins  the start of the variant, as above -> the begin of the fail over in EL2
 *   <way>-paused  from there -> EL2 has paused the active VM and resumed the standby, or has
 *                 requested both from their cores; or the standby runs, if that comes first
 *   <way>-runs    from there -> this VM's first stamp
 * If the pair has a link (kind=doorbell) and shares its cores, every vCPU of both VMs stamps the
 * counter in an endless loop:
 *   stopped    the start of the variant, as above -> the last stamp of the active VM's last vCPU; 0
 *              if no stamp came after the start
 *   gap        the last stamp of the active VM's vCPU 0 -> this VM's first stamp
 *   all        the start of the variant -> the latest of the first stamps of this VM's vCPUs
 * Stamps are CNTPCT, which all cores share; on two cores CNTPCT counts the instructions of both.
 * Check `interrupts`: this VM's timer expires n more times while this VM is paused, and each expiry
 * is handled once. Check `clock` covers these pauses without the first: `pause`, CNTPCT from before
 * the hypercall to after it; `virtual`, the same in CNTVCT; `late`, CNTVCT in the handler minus
 * CVAL; `after`, CNTPCT from the return to the handler. Check `takeovers`: each SPI that ended a
 * pause was handled once. A sample in which the other VM did not have the core refuses the step. A
 * sample of control whose command came less than 1000 ticks after this VM's hypercall is repeated.
 * delay lengthens the last phase, delay_el2 the first. guest/loads/load_partner.c has the programs
 * of the other VM.
 * Proof: tests/qemu/test_failover.py; gate: tests/expected.
 */
#include "abi/probe.h"
#include "arch/barrier.h"
#include "arch/hypercall.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/irq.h"
#include "guest/kernel/secondary.h"
#include "guest/kernel/vtimer.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"
#include "lib/bits.h"
#include "lib/random.h"

#define BOOTS 10u          /* times that the other VM gets the core before the first sample */
#define BOOTS_CONTROL 100u /* replaces BOOTS with a control VM, which gives short turns */
#define BOOTS_MOST 10000u
#define EXPIRY 500u        /* ticks: this VM's timer expires while the VM is paused */
#define PATIENCE 10000000u /* ticks */
#define EXPIRY_MOST 30000u /* active_random: the timer expires within these ticks */
#define OWN_SGI 4u
#define SETTLED 1000u /* ticks that the active VM must have had the core for before a command */
#define OVERLAPS_MOST 8u

enum phase { PHASE_BEGINS, PHASE_PAUSED, PHASE_RUNS, PHASES };

struct way {
	const char *name;
	const char *phase[PHASES]; /* NULL without phases */
	bool watched;              /* every vCPU stamps the link's window */
};

static const struct way ways[] = {
	[BESIDE_CALL] = { "call", { "call-begins", "call-paused", "call-runs" }, true },
	[BESIDE_HEARTBEAT] = { "heartbeat",
			       { "heartbeat-begins", "heartbeat-paused", "heartbeat-runs" },
			       false },
	[BESIDE_FAULT] = { "fault", { "fault-begins", "fault-paused", "fault-runs" }, true },
	[BESIDE_INTERRUPT] = { "interrupt",
			       { "interrupt-begins", "interrupt-paused", "interrupt-runs" },
			       false },
	[BESIDE_RANDOM] = { "random", { NULL, NULL, NULL }, false },
	[BESIDE_CONTROL] = { "control",
			     { "control-begins", "control-paused", "control-runs" },
			     true },
};

/* Figures of all vCPUs, if they stamp a window. */
enum watched { WATCHED_STOPPED, WATCHED_GAP, WATCHED_ALL, WATCHED };

static const char *const watched_name[WATCHED] = { "stopped", "gap", "all" };

static struct samples totals, phases[PHASES], watched[WATCHED];
static struct vcpu_stamps own[PLAN_VM_CPUS];
static const struct vcpu_stamps *others; /* the active VM's stamps; NULL without a window */
static unsigned vcpu_count;
static const volatile struct probe_stamps *stamps;
static volatile uint32_t handled, takeovers, sgis;
static volatile uint64_t fired_at, fired_at_virtual;
static unsigned takeover_spi; /* 0 without such an SPI */
static uint64_t last_raised;  /* stamp of the last SPI */
static uint32_t raised;       /* pauses that the SPI ended */
static uint32_t overlapped;   /* rejected samples in a row */
static struct random random;

static void on_takeover(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	takeovers++;
}

/* Handle the SPI that has ended this VM's pause, before the next pause. */
static void take_interrupt(void)
{
	uint32_t before = takeovers;
	uint64_t start = counter_read();

	irq_unmask();
	while (takeovers == before && counter_read() - start < PATIENCE)
		;
	irq_mask();
}

/* Give the core to the other VM, at `before`. Return this VM's first stamp after the other VM has
 * given the core back. */
OPS_INLINE uint64_t go_and_return(reg_t id, uint64_t before, reg_t delay)
{
	reg_t answer = hvc(id, (reg_t)(uint32_t)before, 0);
	uint64_t until;

	delay_or_none(delay);
	until = counter_read();
	if (answer != HC_OK)
		guest_refuse("no other VM runs, result", answer);
	if (takeover_spi && stamps->raised > last_raised) {
		last_raised = stamps->raised;
		raised++;
		take_interrupt();
	}
	return until;
}

/* Extend a stamp later than `before` to 64 bits. */
static uint64_t later(uint64_t before, uint32_t stamp)
{
	return before + (stamp - (uint32_t)before);
}

/* Return the other VM's stamp. */
static uint64_t issued_after(uint64_t before)
{
	if ((uint32_t)stamps->issued == (uint32_t)before)
		guest_refuse("the other VM did not have the core, stamp", stamps->issued);
	return later(before, (uint32_t)stamps->issued);
}

/* Return the stamps of the active VM if both VMs of the pair share their cores and a window. */
static const struct vcpu_stamps *watch(const struct guest_run *run)
{
	if (run->config.sched == SCHED_NULL || !ways[run->config.beside].watched ||
	    !run->link_base || run->link_kind != PLAN_LINK_DOORBELL)
		return NULL;
	return secondary_window(run);
}

static bool all_stamp(void)
{
	for (unsigned i = 0; i < vcpu_count; i++)
		if (others[i].last == 0)
			return false;
	return true;
}

static void begin(const struct guest_run *run, reg_t id)
{
	unsigned rounds = run->config.beside == BESIDE_CONTROL ? BOOTS_CONTROL : BOOTS;

	stamps = (const volatile struct probe_stamps *)((uintptr_t)run->ram_base +
							GUEST_PROBE_OFFSET);
	vtimer_begin(run);
	samples_reset(&totals);
	for (unsigned i = 0; i < PHASES; i++)
		samples_reset(&phases[i]);
	for (unsigned i = 0; i < WATCHED; i++)
		samples_reset(&watched[i]);
	vcpu_count = run->vcpu_count;
	overlapped = 0;
	secondary_start(run, own);
	takeover_spi = 0;
	last_raised = run->start_ticks;
	if (run->config.beside == BESIDE_INTERRUPT || run->config.beside == BESIDE_RANDOM) {
		random_init(&random, run->bench.params.seed, 0);
		takeover_spi = run->physical_spi_first + run->physical_spi_count - 1;
		irq_set_handler(takeover_spi, on_takeover);
		gic_enable(takeover_spi);
	}
	others = watch(run);
	for (unsigned i = 0; i < rounds || (others && !all_stamp()); i++) {
		uint64_t before = counter_read();

		if (i == BOOTS_MOST)
			guest_refuse("a vCPU of the other VM does not stamp, rounds", i);
		go_and_return(id, before, 0);
	}
	/* On two cores the active VM may have raised the SPI before this VM's first pause. */
	irq_unmask();
	irq_mask();
	takeovers = raised = 0;
}

static void report(const char *variant, const struct samples *samples)
{
	struct bench_info info = {
		.variant = variant,
		.window = WINDOW_CVAL,
		.batch = 1,
		.may_be_zero = samples != &totals && samples != &watched[WATCHED_GAP],
	};

	report_bench(&info, samples);
}

/* --- yield --- */

static void vm_yield_run(const struct guest_run *run)
{
	begin(run, HC_ID(YIELD));
	for (uint32_t i = 0; i <= run->bench.params.n; i++) {
		uint64_t before, until;

		state_prepare();
		before = counter_read();
		until = go_and_return(HC_ID(YIELD), before, run->bench.params.delay);
		samples_add(&totals, issued_after(before), until);
	}
	report("yield", &totals);
}

static const char *vm_yield_prepare(const struct guest_run *run)
{
	return run->config.beside != BESIDE_YIELD ? "needs beside=load_yield" : NULL;
}

/* --- fail over --- */

/* Return the end of the phase `paused`. On two cores this VM may run, at `until`, before EL2 takes
 * its last stamp; the phase then ends at `until`. */
static uint64_t paused_after(uint64_t issued, uint64_t until)
{
	uint64_t start = counter_read();

	while (stamps->paused < issued && counter_read() - start < PATIENCE)
		cpu_relax();
	return stamps->paused < until ? stamps->paused : until;
}

static void add_phases(uint64_t last, uint64_t until)
{
	uint64_t end[PHASES] = { stamps->fails_over, paused_after(last, until), until };

	samples_add(&totals, last, until);
	for (unsigned i = 0; i < PHASES; i++) {
		if (end[i] < last)
			guest_refuse("a stamp is missing or out of order, phase", i + 1);
		samples_add(&phases[i], last, end[i]);
		last = end[i];
	}
}

/* Return the latest of the first stamps of this VM's vCPUs; vCPU 0's is `until`. */
static uint64_t all_run(uint64_t issued, uint64_t until)
{
	uint64_t last = until;

	for (unsigned i = 1; i < vcpu_count; i++) {
		uint64_t start = counter_read();
		uint64_t first;

		while (own[i].seen != (uint32_t)issued)
			if (counter_read() - start > PATIENCE)
				guest_refuse("a vCPU does not go on", i);
			else
				cpu_relax();
		first = later(issued, own[i].first);
		if (first > last)
			last = first;
	}
	return last;
}

/*
 * Add the samples of all vCPUs. The VMs share cores, so a running vCPU of this VM proves that the
 * active VM's vCPU has stopped.
 */
static void add_watched(uint64_t issued, uint64_t until, bool commanded)
{
	uint64_t all = all_run(issued, until), stopped = issued;

	for (unsigned i = 0; i < vcpu_count; i++) {
		uint32_t after = others[i].last - (uint32_t)issued;

		if ((int32_t)after > 0 && issued + after > stopped)
			stopped = issued + after;
	}
	samples_add(&watched[WATCHED_STOPPED], issued, stopped);
	samples_add(&watched[WATCHED_GAP],
		    commanded ? until - ((uint32_t)until - others[0].last) : issued, until);
	samples_add(&watched[WATCHED_ALL], issued, all);
}

static void on_sgi(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	sgis++;
}

static void on_timer(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	fired_at = counter_read();
	fired_at_virtual = read_cntvct_el0();
	vtimer_quiet();
	handled++;
}

/* The least and the greatest value of a figure, in ticks. */
struct range {
	int64_t min, max;
};

static struct range elapsed, virtual_elapsed, late, after;
static uint64_t last_ticks, last_virtual; /* lengths of the last pause */
static bool went_back;

static void note(struct range *range, bool first, uint64_t ticks)
{
	int64_t value = (int64_t)ticks;

	if (first)
		*range = (struct range){ value, value };
	if (value < range->min)
		range->min = value;
	if (value > range->max)
		range->max = value;
}

/* Return the ticks until this VM's timer expires, in a pause or after it. */
static uint64_t expiry_of(const struct guest_run *run)
{
	if (run->config.beside == BESIDE_RANDOM)
		return random_below(&random, EXPIRY_MOST);
	return EXPIRY;
}

static void check_order(uint64_t ticks, uint64_t virtual)
{
	went_back |= ticks < last_ticks || virtual < last_virtual;
	last_ticks = ticks;
	last_virtual = virtual;
}

/* Make pause `i`, in which this VM's timer expires. Pause 0 is cold. */
static void pause_with_timer(const struct guest_run *run, uint32_t i)
{
	uint64_t expiry = expiry_of(run);
	uint64_t before = counter_read(), before_virtual = read_cntvct_el0();
	uint64_t cval = before_virtual + expiry;
	uint64_t until, until_virtual;

	write_cntv_cval_el0(cval);
	write_cntv_ctl_el0(VTIMER_ENABLE);
	if (run->config.beside == BESIDE_RANDOM)
		gic_send_sgi_self(OWN_SGI);
	until = go_and_return(HC_ID(FAIL_OVER), before, 0);
	until_virtual = read_cntvct_el0();
	check_order(before, before_virtual);
	check_order(until, until_virtual);
	note(&elapsed, i < 2, until - before);
	note(&virtual_elapsed, i < 2, until_virtual - before_virtual);
	irq_unmask();
	while (handled <= i && counter_read() - until < PATIENCE)
		;
	irq_mask();
	note(&late, i < 2, fired_at_virtual - cval);
	note(&after, i < 2, fired_at - until);
}

static void report_clock(void)
{
	bool ok = !went_back && virtual_elapsed.min > 0 && late.min >= 0;
	struct member members[] = {
		{ "pause_min", elapsed.min },
		{ "pause_max", elapsed.max },
		{ "virtual_min", virtual_elapsed.min },
		{ "virtual_max", virtual_elapsed.max },
		{ "late_min", late.min },
		{ "late_max", late.max },
		{ "after_min", after.min },
		{ "after_max", after.max },
	};

	report_check("clock", ok, members, ARRAY_SIZE(members));
}

/* Check that each expiry is handled once and no other interrupt comes. */
static void check_interrupts(const struct guest_run *run)
{
	uint32_t n = run->bench.params.n;

	handled = sgis = 0;
	last_ticks = last_virtual = 0;
	went_back = false;
	irq_set_handler(run->virt_timer_intid, on_timer);
	irq_set_handler(OWN_SGI, on_sgi);
	gic_enable(run->virt_timer_intid);
	gic_enable(OWN_SGI);
	for (uint32_t i = 0; i < n; i++)
		pause_with_timer(run, i);
	gic_disable(run->virt_timer_intid);

	struct member members[] = { { "fired", n }, { "handled", handled } };

	report_check("interrupts", handled == n, members, 2);
	members[1].value = sgis;
	if (run->config.beside == BESIDE_RANDOM)
		report_check("sgis", sgis == n, members, 2);
	report_clock();
}

/* Check that each SPI that ended a pause was handled once. */
static void check_takeovers(uint32_t pauses)
{
	struct member members[] = { { "fired", pauses }, { "handled", takeovers } };

	if (!takeover_spi)
		return;
	gic_disable(takeover_spi);
	report_check("takeovers", takeovers == pauses, members, 2);
}

/* Return whether EL2's last stamp of this VM's own call is later than the command's stamp: then
 * this VM's core had no turn in between. A missing stamp must not count as such a case for ever. */
static bool overlaps(void)
{
	uint64_t begins = stamps->fails_over;
	bool stale = paused_after(begins, UINT64_MAX) < begins;

	overlapped = stale ? overlapped + 1 : 0;
	return stale && overlapped <= OVERLAPS_MOST;
}

/*
 * Return whether the command came long enough after this VM gave the core away; otherwise the
 * sample does not count.
 */
static bool is_settled(const struct guest_run *run, uint64_t before)
{
	return run->config.beside != BESIDE_CONTROL ||
	       ((int32_t)((uint32_t)stamps->issued - (uint32_t)before) > (int32_t)SETTLED &&
		!overlaps());
}

static void sample(const struct guest_run *run, const struct way *way)
{
	uint64_t before, until, issued;

	do {
		state_prepare();
		before = counter_read();
		until = go_and_return(HC_ID(FAIL_OVER), before, run->bench.params.delay);
	} while (!is_settled(run, before));
	if (!way->phase[0]) {
		if (stamps->fails_over < before)
			guest_refuse("the other VM did not fail over, stamp", stamps->fails_over);
		samples_add(&totals, stamps->fails_over, until);
		return;
	}
	issued = takeover_spi ? stamps->raised : issued_after(before);
	add_phases(issued, until);
	if (others)
		add_watched(issued, until, run->config.beside == BESIDE_CONTROL);
}

static void failover_run(const struct guest_run *run)
{
	const struct way *way = &ways[run->config.beside];

	begin(run, HC_ID(FAIL_OVER));
	for (uint32_t i = 0; i <= run->bench.params.n; i++)
		sample(run, way);
	report(way->name, &totals);
	for (unsigned i = 0; way->phase[0] && i < PHASES; i++)
		report(way->phase[i], &phases[i]);
	for (unsigned i = 0; others && i < WATCHED; i++)
		report(watched_name[i], &watched[i]);
	check_interrupts(run);
	check_takeovers(run->config.beside == BESIDE_RANDOM ? raised : 1 + 2 * run->bench.params.n);
}

static const char *failover_prepare(const struct guest_run *run)
{
	if (run->config.beside < BESIDE_CALL)
		return "needs beside=active_call, active_heartbeat, active_fault, "
		       "active_interrupt, active_control or active_random";
	if (run->config.beside != BESIDE_INTERRUPT && run->config.beside != BESIDE_RANDOM)
		return NULL;
	return irq_no_spis(run, 1);
}

static const struct bench vm_yield = {
	.name = "vm_yield",
	.prepare = vm_yield_prepare,
	.run = vm_yield_run,
};
BENCH(vm_yield);

static const struct bench failover = {
	.name = "failover",
	.prepare = failover_prepare,
	.run = failover_run,
};
BENCH(failover);
