/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/probe/pair.h"

#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "guest/probe/calls.h"
#include "guest/probe/output.h"

/* The time between two wake-ups: 3 ms, more than the 1 ms in which a scheduler does not preempt
 * a VM that has just begun, and up to JITTER ticks, so that no period divides the length of a
 * loop. */
#define WAKE_UPS_HZ 333u
#define JITTER 64u

/*
 * Both VMs are busy for this long: some 20 turns of 30 ms, the longest turn of a measured
 * scheduler.
 */
#define TURNS_MS 800u /* the default without an argument */

/* Two reads of a busy loop are 4 to 7 instructions apart; an exit takes more than this. */
#define GAP 16u

#define AT_MS 2000u     /* the default without an argument */
#define PRINT_MS 500u   /* time between two phases */
#define STAMPS_LINE 12u /* stamps in a line of output */

/* VM a also has gaps from the hypervisor's own interrupts. */
#define STAMPS_MAX (2 * SAMPLES_MAX)

static const struct probe_run *run;
static enum pair_role role;
static struct named_call yield;
static struct probe_stamps stamps[STAMPS_MAX];
static uint64_t start; /* start of the current phase, in CNTPCT */

struct phase {
	const char *path;
	bool fp;
	/* Fill the stamps and return how many there are. */
	unsigned (*take)(bool fp);
};

static uint64_t ms(void)
{
	return read_cntfrq_el0() / 1000;
}

static uint64_t turns_ticks(void)
{
	return machine_number(&run->machine, "turns_ms", TURNS_MS) * ms();
}

static uint64_t period(void)
{
	return read_cntfrq_el0() / WAKE_UPS_HZ;
}

/* Sleep until a count of CNTPCT. */
static void timer_start(uint64_t count)
{
	write_cntv_cval_el0(count - read_cntpct_el0() + read_cntvct_el0());
	write_cntv_ctl_el0(VTIMER_ENABLE);
	isb();
}

static bool timer_is_due(void)
{
	return read_cntv_ctl_el0() & VTIMER_ISTATUS;
}

static uint32_t sleep_until(uint64_t count)
{
	struct probe_window window;

	timer_start(count);
	do {
		window_sleep(&window, run->delay);
	} while (!timer_is_due());
	timer_end(acknowledge(VIRT_TIMER_INTID));
	return (uint32_t)window.until;
}

static unsigned take_switch(bool fp)
{
	uint32_t end = (uint32_t)(start + turns_ticks());

	return fp ? busy_fp_until(stamps, STAMPS_MAX, end, GAP)
		  : busy_until(stamps, STAMPS_MAX, end, GAP);
}

static unsigned take_wake(bool fp)
{
	(void)fp;
	if (role == PAIR_A)
		return busy_until(stamps, STAMPS_MAX,
				  (uint32_t)(start + (run->samples + 2) * period()), GAP);
	for (unsigned i = 0; i <= run->samples; i++)
		stamps[i].until = sleep_until(start + (i + 1) * period() + i * 37 % JITTER);
	return run->samples + 1;
}

static unsigned take_yield(bool fp)
{
	for (unsigned i = 0; i <= run->samples; i++) {
		struct probe_window window;

		if (fp)
			window_yield_fp(&window, run->delay, &yield.call);
		else
			window_yield(&window, run->delay, &yield.call);
		stamps[i].from = (uint32_t)window.from;
		stamps[i].until = (uint32_t)window.until;
	}
	return run->samples + 1;
}

static const struct phase phases[] = {
	{ "switch", false, take_switch }, { "switch_fp", true, take_switch },
	{ "wake", false, take_wake },     { "yield", false, take_yield },
	{ "yield_fp", true, take_yield },
};

/* Print the stamps as ticks since the start of the phase. */
static void output_list(const char *name, unsigned first, unsigned count, bool until)
{
	output_numbers(name);
	for (unsigned i = first; i < first + count; i++)
		output_number((until ? stamps[i].until : stamps[i].from) - (uint32_t)start);
	output_numbers_end();
}

static void output_stamps(const struct phase *phase, unsigned count)
{
	for (unsigned first = 0; first < count; first += STAMPS_LINE) {
		unsigned left = count - first;

		left = left < STAMPS_LINE ? left : STAMPS_LINE;
		output_begin("stamps");
		output_string("path", phase->path);
		if (role == PAIR_A || phase->take != take_wake)
			output_list("from", first, left, false);
		output_list("until", first, left, true);
		output_end();
	}
}

static void output_absent(const struct phase *phase, const char *why)
{
	output_begin("skip");
	output_string("path", phase->path);
	output_string("why", why);
	output_end();
}

static void use_fp(void *argument)
{
	(void)argument;
	fp_enable();
}

/* Try the call once before the phase: a refused call is not measured. */
static void try_yield(void *argument)
{
	reg_t *answer = argument;
	struct probe_window window;

	*answer = window_yield(&window, 0, &yield.call);
}

static const char *yield_absent(void)
{
	reg_t answer = 0;

	if (!yield.name[0])
		return "no call to yield is named";
	if (!attempt(try_yield, &answer))
		return "undefined";
	return call_refused(answer) ? "refused" : NULL;
}

static const char *absent(const struct phase *phase)
{
	const char *why = phase->take == take_yield ? yield_absent() : NULL;

	if (why)
		return why;
	if (phase->fp && !attempt(use_fp, NULL))
		return "no FP registers";
	return NULL;
}

/*
 * Return the length of a phase: the output of a phase must end before the next phase begins in the
 * other VM.
 */
static uint64_t phase_ticks(void)
{
	return (run->samples + 2) * period() + turns_ticks() + PRINT_MS * ms();
}

enum pair_role pair_role(const struct machine *machine)
{
	static char name[8];

	if (!machine_word(machine, "pair", name, sizeof(name)))
		return PAIR_NONE;
	output_name(name);
	return name[0] == 'a' ? PAIR_A : PAIR_B;
}

void pair_run(const struct probe_run *settings, enum pair_role as)
{
	run = settings;
	role = as;
	start = machine_number(&run->machine, "at_ms", AT_MS) * ms();
	named_call_find(&yield, &run->machine, "yield", yield_call_start, yield_call_end);
	for (unsigned i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		const char *why = absent(&phases[i]);

		if (why) {
			output_absent(&phases[i], why);
			continue;
		}
		if (read_cntpct_el0() >= start)
			fail("the phase begins too late: a larger at_ms is needed", start);
		sleep_until(start);
		output_stamps(&phases[i], phases[i].take(phases[i].fp));
		start += phase_ticks();
	}
}
