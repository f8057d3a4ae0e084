/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/secondary.h"

#include "arch/barrier.h"
#include "arch/cache.h"
#include "arch/counter.h"
#include "arch/mmio.h"
#include "boards/board.h"
#include "hyp/boot_state.h"
#include "hyp/clock.h"
#include "hyp/record.h"
#include "lib/text.h"

#define PAUSE_MS 10u /* before a pen is opened: cores may not have come to it yet */
#define WAIT_MS 10u
#define MS_PER_S 1000u

/* Not in bss: a core that did not wait for its start may have reported before that is cleared. */
struct core_report core_report[CORE_MAX] __attribute__((section(".data.core_report")));

static unsigned core_count(void)
{
	if (board.cores.start == CORES_PSCI) /* started for a guest that wants them */
		return 1;
	return board.cores.count ? board.cores.count : 1;
}

static uint64_t deadline(unsigned ms)
{
	return counter_read() + (uint64_t)clock_hz() * ms / MS_PER_S;
}

static void pause_ms(unsigned ms)
{
	uint64_t end = deadline(ms);

	while (counter_read() < end)
		cpu_relax();
}

/* The word is written with caches off: it is in memory when the core looks. No dirty line of the
 * boot loader's may follow it there. */
static void release_spin_table(unsigned core)
{
	uintptr_t word = board.cores.release + 8 * core;

	dcache_clean_invalidate(word, sizeof(uint64_t));
	*(volatile uint64_t *)word = (uintptr_t)secondary_entry;
	dsb_sy();
	sev();
}

/* The distributor may be off still, and would then not forward the SGI. */
static void release_pen(unsigned core)
{
	gic_dist_reset();
	mmio_write32(board.cores.release, (uint32_t)(uintptr_t)secondary_entry);
	dsb_sy();
	gic_send_sgi(0, core);
}

static bool all_came(void)
{
	for (unsigned core = 1; core < core_count(); core++)
		if (*(volatile uint64_t *)&core_report[core].level == ENTRY_ABSENT)
			return false;
	return true;
}

static void wait(void)
{
	uint64_t end = deadline(WAIT_MS);

	while (!all_came() && counter_read() < end)
		cpu_relax();
}

void secondary_start_all(void)
{
	core_report[0].level = boot_state.level;
	if (board.cores.start == CORES_BOOT_ONLY || board.cores.start == CORES_PSCI)
		return;
	if (board.cores.start == CORES_PEN)
		pause_ms(PAUSE_MS);
	for (unsigned core = 1; core < core_count(); core++) {
		core_report[core].gicc = board.gic.cpu;
		if (board.cores.start == CORES_SPIN_TABLE)
			release_spin_table(core);
		else
			release_pen(core);
	}
	wait();
}

void secondary_emit(void)
{
	char buffer[128];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_string(&text, ",\"cores\":[");
	for (unsigned core = 0; core < core_count(); core++) {
		if (core)
			text_char(&text, ',');
		text_json_string(&text, entry_word(core_report[core].level));
	}
	text_char(&text, ']');
	record_raw(text.at, text.length);
}
