/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that misbehaves in one way a name. A test checks that the hypervisor stops the guest with
 * a fault record and continues. The expected results:
 *   hostile_read    loads from the hypervisor's memory: fault data-abort; skipped without stage 2
 *   hostile_device  writes to a device that is not mapped for the guest, the console: fault
 *                   data-abort; skipped without stage 2
 *   hostile_jump    jumps into the hypervisor's memory: fault prefetch-abort; skipped without
 *                   stage 2
 *   hostile_smc     requests a power-off from the firmware: -1, check ok, `smc` 1 in the
 *                   step record; skipped with traps=off
 *   hostile_loop    loops with interrupts masked: fault time-limit; skipped with irq=direct
 *   hostile_random  makes 10 n random hypercalls (hypbench's ids, neighbours of these ids, any id),
 *                   each with the right answer, and as many random accesses of 8 to 64 bits to the
 *                   distributor if it is emulated: check ok; skipped natively
 * Proof: tests/qemu/test_hostile.py.
 */
#include "arch/hypercall.h"
#include "arch/mmio.h"
#include "guest/kernel/any_access.h"
#include "guest/kernel/mmu.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"
#include "lib/pagetable.h"
#include "lib/random.h"

#define PSCI_SYSTEM_OFF 0x84000008u /* DEN0022, 5.1.9 */

/* The size of the distributor: its 4 KiB frame on GICv2, its first page on GICv3. */
#define RANDOM_MMIO_SIZE 0x1000u
#define HYPERCALL_NEIGHBOURS 8u
#define TRIES_PER_SAMPLE 10u

static const char *needs_stage2(const struct guest_run *run)
{
	return run->config.stage2 == STAGE2_OFF ? "without stage 2 nothing contains a guest" : NULL;
}

static const char *needs_traps(const struct guest_run *run)
{
	return run->config.traps
		       ? NULL
		       : "SMC does not trap, so it would reach the firmware; set traps=on";
}

static const char *needs_preemption(const struct guest_run *run)
{
	return run->config.irq == IRQ_DIRECT ? "with direct interrupts EL2 cannot stop this guest"
					     : NULL;
}

static const char *needs_hypervisor(const struct guest_run *run)
{
	return config_is_native(&run->config) ? "no hypervisor natively" : NULL;
}

/* Report that the guest continued after an access that must stop it. */
static void report_escape(const char *what, uint64_t value)
{
	struct member member = { "value", (int64_t)value };

	report_check(what, false, &member, 1);
}

static void hostile_read_run(const struct guest_run *run)
{
	/* map the page in stage 1, so that only stage 2 can stop the access */
	mmu_map_memory(run->hyp_base, PAGE_SIZE);
	report_escape("read", mmio_read32((uintptr_t)run->hyp_base));
}

static void hostile_device_run(const struct guest_run *run)
{
	mmu_map_device(run->hyp_device, PAGE_SIZE);
	mmio_write32((uintptr_t)run->hyp_device, '!');
	report_escape("device", run->hyp_device);
}

static void hostile_jump_run(const struct guest_run *run)
{
	mmu_map_code(run->hyp_base, PAGE_SIZE);
	call_address((reg_t)run->hyp_base);
	report_escape("jump", 0);
}

static const char *needs_trapped_smc(const struct guest_run *run)
{
	const char *reason = needs_traps(run);

	return !reason && run->smc_undefined ? smc_undefined_reason : reason;
}

static void hostile_smc_run(const struct guest_run *run)
{
	int32_t result = (int32_t)smc(PSCI_SYSTEM_OFF, 0, 0);
	struct member member = { "result", result };

	(void)run;
	report_check("smc", result == HC_EUNKNOWN, &member, 1);
}

static void hostile_loop_run(const struct guest_run *run)
{
	(void)run;
	irq_mask();
	for (;;)
		;
}

/*
 * Make a random hypercall: an id or its neighbour, or any id, but never the id that ends the step.
 */
static bool random_hypercall(const struct guest_run *run, struct random *random)
{
	uint32_t id = random_next(random) & 1
			      ? HC_BASE - HYPERCALL_NEIGHBOURS +
					random_below(random, HC_COUNT + 2 * HYPERCALL_NEIGHBOURS)
			      : random_next(random);
	reg_t first = random_next(random), second = random_next(random);
	int32_t result;

	if (id == HC_ID(EXIT))
		return true;
	result = (int32_t)hvc(id, first, second);
	switch (id) {
	case HC_ID(NULL):
	case HC_ID(FP_RELEASE):
	case HC_ID(YIELD):
	case HC_ID(HEARTBEAT):
		return result == HC_OK;
	case HC_ID(MEASURE):
		return result == (first <= 1 ? HC_OK : HC_EINVAL);
	case HC_ID(RECORD):
	case HC_ID(RAISE):
	case HC_ID(TLBI):
	case HC_ID(VMID):
	case HC_ID(FAIL_OVER): /* this VM has no partner and may not command one */
	case HC_ID(SWITCH_OVER):
	case HC_ID(STAGE2): /* only a few of 2^32 arguments have a meaning */
		return result == HC_EINVAL;
	case HC_ID(PEEK):
		return result == 0 || (first - run->ram_base < run->ram_size && first % 4 == 0);
	case HC_ID(COLD):
		return result == (first <= STATE_COLD_TLB ? HC_OK : HC_EINVAL) ||
		       /* cold caches by address */
		       (result == HC_EINVAL && first == STATE_COLD_CACHES);
	default:
		return result == HC_EUNKNOWN;
	}
}

/* Access a random register of the page, aligned to the width. */
static void random_access(const struct guest_run *run, struct random *random)
{
	unsigned log2_size = random_below(random, 4);
	uint32_t offset = random_below(random, RANDOM_MMIO_SIZE) >> log2_size << log2_size;
	uintptr_t address = (uintptr_t)run->gicd_base + offset;

	if (random_next(random) & 1)
		read_any(address, log2_size);
	else
		write_any(address, log2_size,
			  (uint64_t)random_next(random) << 32 | random_next(random));
}

static void hostile_random_run(const struct guest_run *run)
{
	const struct bench_params *params = &run->bench.params;
	bool emulated = run->config.irq == IRQ_TRAPPED;
	uint32_t tries = params->n * TRIES_PER_SAMPLE, wrong = 0;
	struct random random;

	random_init(&random, params->seed, 0);
	for (uint32_t i = 0; i < tries; i++) {
		wrong += !random_hypercall(run, &random);
		if (emulated)
			random_access(run, &random);
	}

	struct member members[] = {
		{ "hypercalls", tries },
		{ "wrong_results", wrong },
		{ "accesses", emulated ? tries : 0 },
	};
	report_check("random", wrong == 0, members, 3);
}

static const struct bench hostile_read = {
	.name = "hostile_read",
	.prepare = needs_stage2,
	.run = hostile_read_run,
};
BENCH(hostile_read);

static const struct bench hostile_device = {
	.name = "hostile_device",
	.prepare = needs_stage2,
	.run = hostile_device_run,
};
BENCH(hostile_device);

static const struct bench hostile_jump = {
	.name = "hostile_jump",
	.prepare = needs_stage2,
	.run = hostile_jump_run,
};
BENCH(hostile_jump);

static const struct bench hostile_smc = {
	.name = "hostile_smc",
	.prepare = needs_trapped_smc,
	.run = hostile_smc_run,
};
BENCH(hostile_smc);

static const struct bench hostile_loop = {
	.name = "hostile_loop",
	.prepare = needs_preemption,
	.run = hostile_loop_run,
};
BENCH(hostile_loop);

static const struct bench hostile_random = {
	.name = "hostile_random",
	.prepare = needs_hypervisor,
	.run = hostile_random_run,
};
BENCH(hostile_random);
