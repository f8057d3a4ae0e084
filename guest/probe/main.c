/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The neutral probe measures a call, an emulated register, an SGI and a timer interrupt for a
 * guest. The probe uses only PSCI and SMCCC calls, GICD reads and CNTV, so it runs without a
 * hypervisor and under any hypervisor, and its numbers are comparable. Two probes on one core
 * measure the switch from one VM to the other (pair.c).
 * docs/design/probe.md has each window's first and last instruction.
 */
#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "drivers/gic/gic_regs.h"
#include "guest/probe/interrupts.h"
#include "guest/probe/output.h"
#include "guest/probe/pair.h"
#include "guest/probe/paths.h"
#include "guest/probe/windows.h"

static struct probe_run run;

/* Print the environment and the arguments before anything that a hypervisor may refuse. */
static void output_start(void)
{
	output_begin("start");
	output_u64("bits", 8 * sizeof(reg_t));
	output_u64("gic", gic_version());
	output_hex("gicd", run.machine.gic.dist);
	output_hex("console", run.machine.console);
	output_u64("tree", run.machine.has_tree);
	output_string("psci_by", run.machine.psci_by_smc ? "smc" : "hvc");
	output_u64("samples", run.samples);
	output_u64("delay", run.delay);
	output_end();
}

static void output_core(void)
{
	output_begin("core");
	output_hex("midr", read_midr_el1());
	output_u64("hz", read_cntfrq_el0());
	output_end();
}

static void check(void)
{
	if (exception_level() != 1)
		fail("the probe must start at EL1, started at EL", exception_level());
	if (run.machine.gic_version != gic_version())
		fail("this image is for another GIC, the machine has GICv",
		     run.machine.gic_version);
	if (run.samples == 0 || run.samples > SAMPLES_MAX)
		fail("samples must be 1 to 1000, samples", run.samples);
	if (run.delay % 2 || run.delay == 2)
		fail("delay must be 0, or even and at least 4, delay", run.delay);
}

void probe_main(const void *tree);

void probe_main(const void *tree)
{
	enum pair_role role;

	machine_find(&run.machine, tree);
	interrupts_init(&run.machine);
	output_init(run.machine.console, run.machine.console_is_pl011);
	role = pair_role(&run.machine);
	run.samples = (uint32_t)machine_number(&run.machine, "samples",
					       role == PAIR_NONE ? SAMPLES_MAX : PAIR_SAMPLES);
	run.delay = (reg_t)machine_number(&run.machine, "delay", 0);
	output_start();
	check();
	output_core();
	gic_start();
	if (role == PAIR_NONE)
		paths_run(&run);
	else
		pair_run(&run, role);
	output_begin("end");
	output_end();
	power_off(&run.machine);
}

void probe_crash(reg_t offset, reg_t syndrome, reg_t address)
{
	output_begin("crash");
	output_hex("vector", offset);
	output_hex("syndrome", syndrome);
	output_hex("address", address);
	output_end();
	power_off(&run.machine);
}
