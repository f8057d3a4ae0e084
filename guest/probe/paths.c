/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/probe/paths.h"

#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "drivers/gic/gic_regs.h"
#include "guest/probe/output.h"
#include "lib/median.h"

/* GICD_SGIR (IHI 0048B 4.3.15): TargetListFilter 2 selects the writing core. */
#define SGIR_SELF (2u << 24)

/* The time from programming the timer to its expiry: 200 us, more than hypervisors round a sleep
 * to, and up to JITTER ticks, so that no period divides the length of a loop. */
#define PERIODS_HZ 5000u
#define JITTER 64u

static const struct machine *machine;
static reg_t delay;
static uint32_t samples;
static uint64_t period; /* period of the timer, in ticks */
static uint64_t sample[SAMPLES_MAX];
static struct named_call named;
static bool timer_came; /* the timer has interrupted at least once */

/* The result of one window. */
struct outcome {
	unsigned i;      /* number of the window (input) */
	uint64_t ticks;  /* 0 if the interrupt did not come */
	uint64_t answer; /* answer of a call or a load */
};

enum path_kind { PATH_EMPTY, PATH_CALL, PATH_LOAD, PATH_INTERRUPT };

struct path {
	const char *name;
	enum path_kind kind;
	void (*take)(struct outcome *outcome);
	/* NULL, or a function that returns why this path is left out, or NULL. */
	const char *(*absent)(void);
};

static void end(struct outcome *outcome, struct probe_window window)
{
	outcome->ticks = window.until - window.from;
}

static void take_empty(struct outcome *outcome)
{
	struct probe_window window;

	window_empty(&window, delay);
	end(outcome, window);
}

static void take_hvc(struct outcome *outcome, uint32_t id)
{
	struct probe_call call = { .argument = { id } };
	struct probe_window window;

	outcome->answer = window_hvc(&window, delay, &call);
	end(outcome, window);
}

static void take_version(struct outcome *outcome)
{
	take_hvc(outcome, PSCI_VERSION);
}

static void take_smccc(struct outcome *outcome)
{
	take_hvc(outcome, SMCCC_VERSION);
}

static void take_version_smc(struct outcome *outcome)
{
	struct probe_call call = { .argument = { PSCI_VERSION } };
	struct probe_window window;

	outcome->answer = window_smc(&window, delay, &call);
	end(outcome, window);
}

static void take_named(struct outcome *outcome)
{
	struct probe_window window;

	outcome->answer = window_named(&window, delay, &named.call);
	end(outcome, window);
}

static const char *without_a_name(void)
{
	return named.name[0] ? NULL : "no call is named";
}

static void take_load(struct outcome *outcome, uintptr_t offset)
{
	struct probe_window window;

	outcome->answer = window_load(&window, delay, machine->gic.dist + offset);
	end(outcome, window);
}

static void take_iidr(struct outcome *outcome)
{
	take_load(outcome, GICD_IIDR);
}

static void take_typer(struct outcome *outcome)
{
	take_load(outcome, GICD_TYPER);
}

/* Read ISENABLER1 of SPIs 32 to 63, which the distributor has in both versions. */
static void take_isenabler(struct outcome *outcome)
{
	take_load(outcome, GICD_ISENABLER + 4);
}

static void take_sgi(struct outcome *outcome)
{
	struct probe_window window;

	if (gic_version() == 2)
		window_sgi_gicv2(&window, delay, machine->gic.dist + GICD_SGIR, SGIR_SELF | SGI_ID);
	else /* affinity 0.0.0.0: the machine has one core */
		window_sgi_gicv3(&window, delay, (uint64_t)SGI_ID << 24 | 1);
	end(outcome, window);
	if (outcome->ticks)
		gic_eoi(acknowledge(SGI_ID));
}

static void take_timer(struct outcome *outcome, uint64_t (*wait)(reg_t delay))
{
	uint64_t cval = read_cntvct_el0() + period + outcome->i * 37 % JITTER;
	uint64_t stamp;

	write_cntv_cval_el0(cval);
	write_cntv_ctl_el0(VTIMER_ENABLE);
	isb();
	stamp = wait(delay);
	if (!stamp) {
		write_cntv_ctl_el0(0);
		outcome->ticks = 0;
		return;
	}
	timer_end(acknowledge(VIRT_TIMER_INTID));
	timer_came = true;
	outcome->ticks = stamp - cval;
}

static void take_timer_busy(struct outcome *outcome)
{
	take_timer(outcome, wait_busy);
}

static void take_timer_wfi(struct outcome *outcome)
{
	take_timer(outcome, wait_asleep);
}

/* A WFI would last for ever if no timer interrupt came. */
static const char *without_timer(void)
{
	return timer_came ? NULL : "the interrupt did not come while the guest was busy";
}

static const struct path paths[] = {
	{ "empty", PATH_EMPTY, take_empty, NULL },
	{ "psci_version", PATH_CALL, take_version, NULL },
	{ "psci_version_smc", PATH_CALL, take_version_smc, NULL },
	{ "smccc_version", PATH_CALL, take_smccc, NULL },
	{ "named_call", PATH_CALL, take_named, without_a_name },
	{ "gicd_iidr", PATH_LOAD, take_iidr, NULL },
	{ "gicd_typer", PATH_LOAD, take_typer, NULL },
	{ "gicd_isenabler", PATH_LOAD, take_isenabler, NULL },
	{ "sgi_self", PATH_INTERRUPT, take_sgi, NULL },
	{ "timer_busy", PATH_INTERRUPT, take_timer_busy, NULL },
	{ "timer_wfi", PATH_INTERRUPT, take_timer_wfi, without_timer },
};

struct trial {
	const struct path *path;
	struct outcome outcome;
};

static void take_once(void *argument)
{
	struct trial *trial = argument;

	trial->path->take(&trial->outcome);
}

/* Take the first window, under a guard. Return why the path does not exist, or NULL. */
static const char *try_once(struct trial *trial)
{
	const struct path *path = trial->path;
	const char *why = path->absent ? path->absent() : NULL;

	if (why)
		return why;
	if (!attempt(take_once, trial))
		return path->kind == PATH_LOAD ? "aborted" : "undefined";
	if (path->kind == PATH_CALL && call_refused((reg_t)trial->outcome.answer))
		return "refused";
	if (path->kind == PATH_INTERRUPT && !trial->outcome.ticks)
		return "the interrupt did not come";
	return NULL;
}

/* Sort the samples and print them. */
static void output_samples(uint64_t cold)
{
	uint64_t p50 = median(sample, samples);
	uint32_t same = 0;

	for (unsigned i = 0; i < samples; i++)
		same += sample[i] == p50;
	output_u64("n", samples);
	output_u64("cold", cold);
	output_u64("min", sample[0]);
	output_u64("p50", p50);
	output_u64("max", sample[samples - 1]);
	output_u64("same", same);
}

static void output_answer(const struct trial *trial)
{
	if (trial->path->kind == PATH_CALL || trial->path->kind == PATH_LOAD)
		output_hex("answer", trial->outcome.answer);
	if (trial->path->take == take_named)
		output_string("call", named.name);
}

/* A window whose interrupt did not come has 0 ticks, which the host refuses. */
static void run_path(const struct path *path)
{
	struct trial trial = { .path = path };
	const char *why = try_once(&trial);

	if (!why) {
		for (unsigned i = 0; i < samples; i++) {
			struct outcome outcome = { .i = i };

			path->take(&outcome);
			sample[i] = outcome.ticks;
		}
	}
	output_begin(why ? "skip" : "path");
	output_string("path", path->name);
	output_answer(&trial);
	if (why)
		output_string("why", why);
	else
		output_samples(trial.outcome.ticks);
	output_end();
}

void paths_run(const struct probe_run *run)
{
	machine = &run->machine;
	delay = run->delay;
	samples = run->samples;
	period = read_cntfrq_el0() / PERIODS_HZ;
	named_call_find(&named, machine, "call", named_call_start, named_call_end);
	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		run_path(&paths[i]);
}
