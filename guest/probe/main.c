/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The neutral probe: the cost of a call, an emulated register, an SGI and a timer interrupt for a
 * guest, by PSCI and SMCCC calls, GICD reads and CNTV alone. So the probe runs without a hypervisor
 * and under any hypervisor, and its numbers compare.
 * docs/design/probe.md has each window's first and last instruction.
 */
#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "drivers/gic/gic_regs.h"
#include "guest/probe/machine.h"
#include "guest/probe/output.h"
#include "guest/probe/windows.h"
#include "lib/median.h"

#define SAMPLES_MAX 1000u
#define VIRT_TIMER_INTID 27u
#define SGI_ID 1u

/* DEN 0022 5.1, DEN 0028 6 */
#define PSCI_VERSION 0x84000000u
#define PSCI_SYSTEM_OFF 0x84000008u
#define SMCCC_VERSION 0x80000000u

/* GICD_SGIR (IHI 0048B 4.3.15): TargetListFilter 2 is the writing core. */
#define SGIR_SELF (2u << 24)

/* CNTV_CTL (DDI 0487 D13.11.17) */
#define VTIMER_ENABLE 1u

/* From setting the timer to its expiry: 200 us, more than others round a sleep to; and up to JITTER
 * ticks, so that no period divides the length of a loop. */
#define PERIODS_HZ 5000u
#define JITTER 64u

static struct machine machine;
static reg_t delay;
static uint32_t samples;
static uint64_t period; /* of the timer, in ticks */
static uint64_t sample[SAMPLES_MAX];

struct path {
	const char *name;
	/* One window; its length in ticks. */
	uint64_t (*take)(unsigned i);
	bool (*possible)(void); /* NULL: always */
};

static uint64_t length_of(struct probe_window window)
{
	return window.until - window.from;
}

static uint64_t take_empty(unsigned i)
{
	struct probe_window window;

	(void)i;
	window_empty(&window, delay);
	return length_of(window);
}

static uint64_t take_hvc(uint32_t id)
{
	struct probe_window window;

	window_hvc(&window, delay, id);
	return length_of(window);
}

static uint64_t take_version(unsigned i)
{
	(void)i;
	return take_hvc(PSCI_VERSION);
}

static uint64_t take_smccc(unsigned i)
{
	(void)i;
	return take_hvc(SMCCC_VERSION);
}

static uint64_t take_version_smc(unsigned i)
{
	struct probe_window window;

	(void)i;
	window_smc(&window, delay, PSCI_VERSION);
	return length_of(window);
}

static uint64_t take_load(uintptr_t offset)
{
	struct probe_window window;

	window_load(&window, delay, machine.gic.dist + offset);
	return length_of(window);
}

static uint64_t take_iidr(unsigned i)
{
	(void)i;
	return take_load(GICD_IIDR);
}

static uint64_t take_typer(unsigned i)
{
	(void)i;
	return take_load(GICD_TYPER);
}

/* Of SPIs 32 to 63, which are the distributor's on both versions. */
static uint64_t take_isenabler(unsigned i)
{
	(void)i;
	return take_load(GICD_ISENABLER + 4);
}

static void __attribute__((noreturn)) power_off(void)
{
	struct probe_window window;

	for (;;) {
		if (machine.psci_by_smc)
			window_smc(&window, 0, PSCI_SYSTEM_OFF);
		else
			window_hvc(&window, 0, PSCI_SYSTEM_OFF);
	}
}

static void __attribute__((noreturn)) fail(const char *what, uint64_t value)
{
	output_begin("error");
	output_string("what", what);
	output_hex("value", value);
	output_end();
	power_off();
}

static uint32_t acknowledge(unsigned expected)
{
	uint32_t iar = gic_ack();

	if (gic_intid(iar) != expected)
		fail("an interrupt has another INTID than expected", iar);
	return iar;
}

static uint64_t take_sgi(unsigned i)
{
	struct probe_window window;

	(void)i;
	if (gic_version() == 2)
		window_sgi_gicv2(&window, delay, machine.gic.dist + GICD_SGIR, SGIR_SELF | SGI_ID);
	else /* affinity 0.0.0.0: there is one core */
		window_sgi_gicv3(&window, delay, (uint64_t)SGI_ID << 24 | 1);
	gic_eoi(acknowledge(SGI_ID));
	return length_of(window);
}

static uint64_t take_timer(unsigned i, uint64_t (*wait)(reg_t delay))
{
	uint64_t cval = read_cntvct_el0() + period + i * 37 % JITTER;
	uint64_t stamp;
	uint32_t iar;

	write_cntv_cval_el0(cval);
	write_cntv_ctl_el0(VTIMER_ENABLE);
	isb();
	stamp = wait(delay);
	iar = acknowledge(VIRT_TIMER_INTID);
	write_cntv_ctl_el0(0); /* its line drops before the interrupt is ended */
	isb();
	gic_eoi(iar);
	return stamp - cval;
}

static uint64_t take_timer_busy(unsigned i)
{
	return take_timer(i, wait_busy);
}

static uint64_t take_timer_wfi(unsigned i)
{
	return take_timer(i, wait_asleep);
}

static const struct path paths[] = {
	{ .name = "empty", .take = take_empty },
	{ .name = "psci_version", .take = take_version },
	{ .name = "psci_version_smc", .take = take_version_smc, .possible = smc_defined },
	{ .name = "smccc_version", .take = take_smccc },
	{ .name = "gicd_iidr", .take = take_iidr },
	{ .name = "gicd_typer", .take = take_typer },
	{ .name = "gicd_isenabler", .take = take_isenabler },
	{ .name = "sgi_self", .take = take_sgi },
	{ .name = "timer_busy", .take = take_timer_busy },
	{ .name = "timer_wfi", .take = take_timer_wfi },
};

/* Of the samples, which this sorts. */
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

static void run(const struct path *path)
{
	uint64_t cold;

	if (path->possible && !path->possible()) {
		output_begin("skip");
		output_string("path", path->name);
		output_end();
		return;
	}
	cold = path->take(0);
	for (unsigned i = 0; i < samples; i++)
		sample[i] = path->take(i);
	output_begin("path");
	output_string("path", path->name);
	output_samples(cold);
	output_end();
}

static void output_machine(void)
{
	struct probe_window window;

	output_begin("start");
	output_u64("bits", 8 * sizeof(reg_t));
	output_u64("gic", gic_version());
	output_hex("gicd", machine.gic.dist);
	output_hex("console", machine.console);
	output_u64("tree", machine.has_tree);
	output_string("psci_by", machine.psci_by_smc ? "smc" : "hvc");
	output_hex("midr", read_midr_el1());
	output_u64("hz", read_cntfrq_el0());
	output_u64("delay", delay);
	output_hex("psci", machine.psci_by_smc ? window_smc(&window, 0, PSCI_VERSION)
					       : window_hvc(&window, 0, PSCI_VERSION));
	output_hex("smccc", window_hvc(&window, 0, SMCCC_VERSION));
	output_hex("iidr", window_load(&window, 0, machine.gic.dist + GICD_IIDR));
	output_hex("typer", window_load(&window, 0, machine.gic.dist + GICD_TYPER));
	output_end();
}

static void gic_init(void)
{
	gic_set_bases(&machine.gic);
	gic_dist_reset();
	gic_cpu_init(false);
	gic_enable(SGI_ID);
	gic_enable(VIRT_TIMER_INTID);
}

void probe_main(const void *tree);

void probe_main(const void *tree)
{
	machine_find(&machine, tree);
	output_init(machine.console, machine.console_is_pl011);
	if (exception_level() != 1)
		fail("the probe must start at EL1, started at EL", exception_level());
	if (machine.gic_version != gic_version())
		fail("this image is for another GIC, the machine has GICv", machine.gic_version);
	samples = machine_number(&machine, "samples", SAMPLES_MAX);
	delay = machine_number(&machine, "delay", 0);
	if (samples == 0 || samples > SAMPLES_MAX)
		fail("samples must be 1 to 1000, samples", samples);
	if (delay % 2 || delay == 2)
		fail("delay must be 0, or even and at least 4, delay", delay);
	period = read_cntfrq_el0() / PERIODS_HZ;
	gic_init();
	output_machine();
	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		run(&paths[i]);
	output_begin("end");
	output_end();
	power_off();
}

void probe_crash(reg_t offset, reg_t syndrome, reg_t address)
{
	output_begin("crash");
	output_hex("vector", offset);
	output_hex("syndrome", syndrome);
	output_hex("address", address);
	output_end();
	power_off();
}
