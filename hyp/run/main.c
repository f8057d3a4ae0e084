/* SPDX-License-Identifier: Apache-2.0 */
/* The run, from the first C instruction to its end. */
#include <string.h>

#include "arch/counter.h"
#include "arch/sysreg.h"
#include "boards/board.h"
#include "drivers/gic/gic.h"
#include "hyp/arch/cpu.h"
#include "hyp/base/boot_state.h"
#include "hyp/base/build_id.h"
#include "hyp/base/clock.h"
#include "hyp/base/console.h"
#include "hyp/base/cycles.h"
#include "hyp/base/image.h"
#include "hyp/base/record.h"
#include "hyp/cpu/errata.h"
#include "hyp/cpu/mmu.h"
#include "hyp/cpu/smp_boot.h"
#include "hyp/run/plan_run.h"
#include "hyp/run/selfcheck.h"
#include "lib/plan.h"
#include "lib/text.h"

_Noreturn void hyp_main(void);

static const struct plan *const plan = &plan_section.plan;

static void check_plan(void)
{
	TEXT(why, 128);

	if (!plan_check(&plan_section, &why))
		record_give_up("plan", why.at);
	if (plan->platform == PLATFORM_SILICON)
		machine_is_silicon();
	if (plan->platform == PLATFORM_GEM5 && !board.gem5)
		record_give_up("plan", "platform gem5: this board is not a model of gem5's");
}

static void emit_run(unsigned lr_count)
{
	uint64_t boot_ticks = counter_read() - boot_state.ticks;
	uint64_t cpu_hz = cycles_hz(plan->run_window_us);

	record_open(RECORD_RUN);
	record_string("board", board.name);
	record_string("isa", cpu_isa);
	record_string("gic", gic_version() == 2 ? "v2" : "v3");
	record_u64("lr_count", lr_count);
	record_hex("cpu", read_midr_el1());
	errata_emit(boot_state.level != ENTRY_EL3);
	record_string("clock", "cntpct");
	record_u64("hz", clock_hz());
	if (cpu_hz)
		record_u64("cpu_hz", cpu_hz);
	record_string("build", build_id);
	record_string("compiler", __VERSION__);
	record_u64("steps", plan->step_count);
	record_u64("boot_ticks", boot_ticks);
	record_string("entry_level", entry_word(boot_state.level));
	record_hex("entry_sctlr", boot_state.sctlr);
	record_hex("entry_hcr", boot_state.hcr);
	record_hex("entry_psr", boot_state.psr);
	smp_boot_emit();
	record_raw(plan->words, strlen(plan->words));
	record_close();
}

/*
 * start.S calls this function with interrupts masked, translation off, bss clear, on the boot
 * stack.
 */
_Noreturn void hyp_main(void)
{
	unsigned lr_count = 0;
	const char *wrong;
	bool steps_ok;

	console_init();
	wrong = selfcheck(&lr_count);
	if (wrong)
		record_give_up("self-check", wrong);
	smp_boot_start_all();
	cpu_init();
	mmu_prepare(0);
	mmu_enable(0);
	check_plan();
	emit_run(lr_count);
	steps_ok = plan_run(plan);
	steps_ok = record_end(steps_ok, cycles_hz(plan->run_window_us));
	machine_end(steps_ok ? RUN_OK : RUN_FAILED);
}
