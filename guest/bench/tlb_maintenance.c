/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLB maintenance: the cost of an operation, and the cost of the accesses after it. Barriers are
 * dsb ish, the operation, dsb ish, isb; arguments are ready in registers.
 *   va, asid, all-el1   TLBI at EL1 by VA and ASID (the first page of the working memory), by
 *                       ASID, and of all of stage 1. Raw under icount: 3 + 4
 *   vmid, all           HC_TLBI: EL2 does VMALLS12E1 (the current VMID) or ALLE1 (all VMIDs),
 *                       broadcast to the inner shareable domain
 *   switch              HC_VMID: the VM continues under its other VMID, with the same tables
 *   switch-flush        switch, then VMALLS12E1 of the new VMID
 *   <operation>-refill  the operation before the window opens, and in the window one load in each
 *                       of `pages` pages, in random order. Raw 3 + 1 + 3 a page
 *   none-refill         the loads without an operation before: the control
 * <operation>-refill - none-refill is the cost that the operation adds to later accesses, as long
 * as the pages fit in the TLBs: choose `pages` below their size. After va one page misses.
 * switch-refill returns to the VMID of two windows before: as cheap as none-refill if both sets
 * fit. TLBI at EL1 is local; with stage 2 on, HCR_EL2.FB makes the core broadcast it, which is part
 * of its cost in a VM. EL2's operations exist only with stage 2. Check `pattern`: the loads visit
 * every page once, and their `asid`. Check `effect`: `stale` counts the `operations` after which a
 * remapped page still reads as before (not tried with switch, which invalidates nothing). QEMU
 * models no refills under icount.
 * Proof: tests/qemu/test_memory.py.
 */
#include "arch/hypercall.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/guest_arch.h"
#include "guest/kernel/mmu.h"
#include "guest/measure/bench.h"
#include "guest/measure/calibrate.h"
#include "guest/measure/state.h"
#include "guest/measure/working.h"
#include "guest_arch/tlb_ops.h"
#include "lib/bits.h"
#include "lib/pagetable.h"
#include "lib/pointer_chain.h"

#define LINE_SIZE 64u

/* One line in each page: each page uses the line after the last page's, so that the lines fall into
 * different sets of a cache. One page in 64 is left out. */
#define TOUCH_STRIDE (PAGE_SIZE + LINE_SIZE)

/* The id is in its register before the window opens. */
OPS_INLINE reg_t op_vmid(reg_t id)
{
	hvc(id, HC_TLBI_VMID, 0);
	return HC_ID(TLBI);
}

OPS_INLINE reg_t op_all(reg_t id)
{
	hvc(id, HC_TLBI_ALL, 0);
	return HC_ID(TLBI);
}

OPS_INLINE reg_t op_switch(reg_t id)
{
	hvc(id, 0, 0);
	return HC_ID(VMID);
}

OPS_INLINE reg_t op_switch_flush(reg_t id)
{
	hvc(id, 1, 0);
	return HC_ID(VMID);
}

static uint64_t memory_size(const struct guest_run *run)
{
	return (uint64_t)run->bench.params.pages * TOUCH_STRIDE;
}

static void report_refill(const struct guest_run *run, const struct working *working,
			  const char *name, const struct samples *samples)
{
	struct member members[1 + WORKING_MEMBERS] = { { "pages", run->bench.params.pages } };
	char variant[24];
	struct text text;
	struct bench_info info = {
		.variant = variant,
		.window = WINDOW_PAIR,
		.batch = run->bench.params.pages,
		.overhead = calibrate_overhead(),
		.members = members,
		.member_count = ARRAY_SIZE(members),
	};

	text_init(&text, variant, sizeof(variant));
	text_string(&text, name);
	text_string(&text, "-refill");
	working_members(working, members + 1);
	report_bench(&info, samples);
}

/* Measure the operation, then the accesses after it. */
OPS_INLINE void measure(const struct guest_run *run, const struct working *working,
			const char *name, sample_op op, reg_t argument)
{
	const struct bench_params *params = &run->bench.params;
	struct samples *samples = samples_begin();

	sample_pairs(params, samples, op, argument);
	report_pair(name, samples, false);
	samples = samples_begin();
	sample_after(params, samples, op, argument, chase_round, working->base);
	report_refill(run, working, name, samples);
}

static void measure_el1(const struct guest_run *run, const struct working *working)
{
	reg_t va = tlbi_argument_va((va_t)working->base, guest_arch_asid());
	reg_t asid = tlbi_argument_asid(guest_arch_asid());

	measure(run, working, "va", tlbi_op_va, va);
	measure(run, working, "asid", tlbi_op_asid, asid);
	measure(run, working, "all-el1", tlbi_op_all_el1, asid);
}

static void measure_el2(const struct guest_run *run, const struct working *working)
{
	measure(run, working, "vmid", op_vmid, HC_ID(TLBI));
	measure(run, working, "all", op_all, HC_ID(TLBI));
	measure(run, working, "switch", op_switch, HC_ID(VMID));
	measure(run, working, "switch-flush", op_switch_flush, HC_ID(VMID));
}

static void measure_none(const struct guest_run *run, const struct working *working)
{
	struct samples *samples = samples_begin();

	sample_after(&run->bench.params, samples, sample_nothing, 0, chase_round, working->base);
	report_refill(run, working, "none", samples);
}

static void link_pages(const struct guest_run *run, const struct working *working)
{
	const struct pointer_chain pages = { working->base, run->bench.params.pages, TOUCH_STRIDE };
	struct pointer_chain_evidence evidence;
	struct random random;

	random_init(&random, run->bench.params.seed, pages.count);
	pointer_chain_random(&pages, &random);
	evidence = pointer_chain_walk(&pages);
	report_check("pattern", pointer_chain_is_whole(&pages, &evidence),
		     (struct member[]){
			     { "pages", pages.count },
			     { "visited", evidence.visited },
			     { "closed", evidence.closed },
			     { "asid", guest_arch_asid() },
		     },
		     4);
	if (!pointer_chain_is_whole(&pages, &evidence))
		guest_refuse("the pages are not one cycle, visited", evidence.visited);
}

/* --- the effect of an operation --- */

static struct {
	sample_op op;
	reg_t argument;
} operation;

static void invalidate_by_operation(struct pagetable *table, uint64_t address, bool subtree)
{
	(void)table;
	(void)address;
	(void)subtree;
	operation.op(operation.argument);
}

static volatile uint32_t *last_word(const struct working *working, unsigned page)
{
	return (volatile uint32_t *)(working->base + (page + 1) * PAGE_SIZE - sizeof(uint32_t));
}

/* Map the first page to the second page's memory, with the operation between break and make. Return
 * 1 if the first page still reads as before. Then restore the mapping. */
static uint32_t is_stale(const struct working *working, sample_op op, reg_t argument)
{
	uint64_t physical = mmu_free_start();
	uint32_t read;

	*last_word(working, 0) = 1;
	*last_word(working, 1) = 2;
	operation.op = op;
	operation.argument = argument;
	mmu_remap_page(working->base, physical + PAGE_SIZE, invalidate_by_operation);
	read = *last_word(working, 0);
	operation.op = tlbi_op_all_el1;
	mmu_remap_page(working->base, physical, invalidate_by_operation);
	return read != 2;
}

/* A switch without a flush invalidates nothing. The switch with a flush comes last, since the VM
 * continues under the other VMID. */
static void check_effect(const struct guest_run *run, const struct working *working)
{
	reg_t va = tlbi_argument_va((va_t)working->base, guest_arch_asid());
	reg_t asid = tlbi_argument_asid(guest_arch_asid());
	bool stage2 = run->config.stage2 != STAGE2_OFF;
	uint32_t stale = 0;

	stale += is_stale(working, tlbi_op_va, va);
	stale += is_stale(working, tlbi_op_asid, asid);
	stale += is_stale(working, tlbi_op_all_el1, asid);
	if (stage2) {
		stale += is_stale(working, op_vmid, HC_ID(TLBI));
		stale += is_stale(working, op_all, HC_ID(TLBI));
		stale += is_stale(working, op_switch_flush, HC_ID(VMID));
	}
	report_check("effect", stale == 0,
		     (struct member[]){
			     { "operations", stage2 ? 6 : 3 },
			     { "stale", stale },
		     },
		     2);
}

static const char *tlb_maintenance_prepare(const struct guest_run *run)
{
	return working_refuses(run, memory_size(run));
}

static void tlb_maintenance_run(const struct guest_run *run)
{
	struct working working = working_begin(run, memory_size(run));

	link_pages(run, &working);
	measure_none(run, &working);
	measure_el1(run, &working);
	if (run->config.stage2 != STAGE2_OFF)
		measure_el2(run, &working);
	check_effect(run, &working);
}

static const struct bench tlb_maintenance = {
	.name = "tlb_maintenance",
	.prepare = tlb_maintenance_prepare,
	.run = tlb_maintenance_run,
};
BENCH(tlb_maintenance);
