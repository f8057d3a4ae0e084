/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/cpu/smp_boot.h"

#include <string.h>

#include "arch/barrier.h"
#include "arch/cache.h"
#include "arch/counter.h"
#include "arch/hypercall.h"
#include "arch/mmio.h"
#include "boards/board.h"
#include "drivers/gic/gic_virt.h"
#include "hyp/arch/cpu.h"
#include "hyp/base/boot_state.h"
#include "hyp/base/clock.h"
#include "hyp/base/record.h"
#include "hyp/cpu/mmu.h"
#include "hyp/cpu/percpu.h"
#include "hyp/cpu/smp.h"

#define REPORT_MS 10u
#define BRING_UP_MS 1000u /* enough for QEMU's cores on a busy host */
#define MS_PER_S 1000u

/*
 * PSCI CPU_ON (DEN0022 5.1.4). Its arguments are the core's affinity, its entry, and a context (0).
 */
#define PSCI_CPU_ON (sizeof(reg_t) == 8 ? 0xc4000003u : 0x84000003u)

_Static_assert(offsetof(struct board, gic.dist) == 0, "smp_boot.S knows it");
_Static_assert(offsetof(struct board, gic.cpu) == sizeof(uintptr_t), "smp_boot.S knows it");

/*
 * The reports are not in bss, because a core that needs no release may report before bss is
 * cleared.
 */
struct core_report core_report[CORE_MAX] __attribute__((section(".data.core_report")));

static bool up[CORE_MAX];

/* Return the number of cores that report at the boot. Firmware starts the others for a guest with
 * several vCPUs; a simulator may have fewer cores than the board. */
static unsigned report_count(void)
{
	bool released = board.cores.start == CORES_SPIN_TABLE || board.cores.start == CORES_PEN;

	return released ? board.cores.count : 1;
}

static bool has_reported(unsigned core)
{
	return *(volatile uint64_t *)&core_report[core].level != ENTRY_ABSENT;
}

static bool is_up(unsigned core)
{
	return __atomic_load_n(&up[core], __ATOMIC_ACQUIRE);
}

/* Return whether is(core) became true in time. */
static bool wait_for(bool (*is)(unsigned core), unsigned core, unsigned ms)
{
	uint64_t end = counter_read() + (uint64_t)clock_hz() * ms / MS_PER_S;

	while (!is(core) && counter_read() < end)
		cpu_relax();
	return is(core);
}

/* The caches are off, so the word goes to memory, and no dirty line of the boot loader may
 * overwrite the word. */
static void release_spin_table(unsigned core)
{
	uintptr_t word = board.cores.release + 8 * core;

	dcache_clean_invalidate(word, sizeof(uint64_t));
	*(volatile uint64_t *)word = (uintptr_t)smp_boot_entry;
	dsb_sy();
	sev();
}

/* The core may not have reached its pen yet. The reset enables the distributor, which then forwards
 * the SGI. */
static void release_pen(unsigned core)
{
	wait_for(has_reported, core, REPORT_MS);
	gic_dist_reset();
	mmio_write32(board.cores.release, (uint32_t)(uintptr_t)smp_boot_entry);
	dsb_sy();
	gic_send_sgi(0, core);
}

void smp_boot_start_all(void)
{
	core_report[0].level = boot_state.level;
	for (unsigned core = 1; core < report_count(); core++) {
		if (board.cores.start == CORES_SPIN_TABLE)
			release_spin_table(core);
		else
			release_pen(core);
		wait_for(has_reported, core, REPORT_MS);
	}
}

/* --- cores in use --- */

uint8_t core_stack[CORE_MAX][1 << CORE_STACK_SHIFT] __attribute__((aligned(64)));

static void (*idle_loop)(void);

/* Start a core. The core first writes its stack and reads `go` with its cache off, so no dirty line
 * may overwrite the stack later. Return false if the core does not exist or cannot start. */
static bool start(unsigned core)
{
	mmu_prepare(core);
	memset(percpu_base(core), 0, percpu_size());
	dcache_clean_invalidate((uintptr_t)core_stack[core], sizeof(core_stack[core]));
	if (board.cores.start == CORES_PSCI)
		return boot_state.level != ENTRY_EL3 && /* the image has no firmware below */
		       (int32_t)smc(PSCI_CPU_ON, core, (uintptr_t)core_entry) == 0;
	gic_dist_reset();
	core_report[core].go = (uintptr_t)core_entry;
	dcache_clean_invalidate((uintptr_t)&core_report[core], sizeof(core_report[core]));
	smp_kick(core);
	return true;
}

/* Start a core once. A later call waits again for a late core. */
static bool bring_up(unsigned core)
{
	static bool started[CORE_MAX];

	if (!started[core])
		started[core] = start(core);
	return started[core] && wait_for(is_up, core, BRING_UP_MS);
}

unsigned smp_boot_bring_up(unsigned count, void (*idle)(void))
{
	unsigned core = 1;

	idle_loop = idle;
	while (core < count && core < board.cores.count && bring_up(core))
		core++;
	return core;
}

/* The core starts with translation off. After mmu_enable() it has its own PERCPU variables. */
_Noreturn void core_main(unsigned core)
{
	if (board.coherency_start)
		board.coherency_start();
	cpu_init();
	mmu_enable(core);
	smp_set_core(core);
	gic_virt_init();
	gic_virt_off();
	gic_private_reset();
	gic_cpu_init(true);
	gic_enable(SMP_KICK_SGI);
	__atomic_store_n(&up[core], true, __ATOMIC_RELEASE);
	idle_loop();
	__builtin_unreachable();
}

void smp_boot_emit(void)
{
	const char *levels[CORE_MAX];

	for (unsigned core = 0; core < report_count(); core++)
		levels[core] = entry_word(core_report[core].level);
	record_strings("cores", levels, report_count());
}
