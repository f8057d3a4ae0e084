/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of fill=lazy: guest RAM that is mapped at its first touch, and the hypercall STAGE2 that
 * reports on it. Tests of the hypercalls PEEK, TLBI, VMID, EXIT and HEARTBEAT. */
/* LINK: exit-path tests/unit/trap_vm.c drivers/gic/gicv2.c */

#include "abi/hypercall.h"
#include "arch/sysreg.h"
#include "boards/board.h"
#include "hyp/trap/trap.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/trap_vm.h"
#include "tests/unit/unit.h"

#define MIB (1024ull * 1024)
#define GIB (1024 * MIB)

static unsigned level_at(ipa_t ipa)
{
	struct pagetable_leaf leaf;

	return pagetable_walk(&vcpu->vm->stage2.table, ipa, &leaf) ? leaf.level : 0;
}

/* Assert that the fault maps a leaf and the guest goes on with the same instruction. */
static void assert_maps(uint32_t esr, ipa_t ipa, unsigned level)
{
	fake_hyp.faults = 0;
	fake_hyp.fault_ipa = ipa;
	assert_int_equal(level_at(ipa), 0);
	assert_ptr_equal(take(esr), vcpu);
	assert_int_equal(fake_hyp.faults, 0);
	assert_int_equal(fake_hyp.skipped, 0);
	assert_int_equal(level_at(ipa), level);
	assert_int_equal(fake_tlb_conflicts() + fake_tlb_stale() + fake_tlb_unpublished(), 0);
}

EACH_TEST(trap_setup, NULL);

TEST(a_first_touch_of_any_kind_maps_one_leaf)
{
	const uint32_t touches[] = { LDR_W3 | 2, STR_W12 | 2, DABT_LDP,   DABT_DC,
				     DABT_S1PTW, IABT,        IABT_S1PTW, DABT_LDP & ~1u };

	be_lazy(STAGE2_4K, 8);
	for (unsigned i = 0; i < sizeof(touches) / sizeof(touches[0]); i++) {
		ipa_t ipa = RAM + 2 * i * PAGE_SIZE;

		assert_maps(touches[i], ipa + 0x10, 3);
		assert_int_equal(level_at(ipa + PAGE_SIZE), 0);
		assert_int_equal(vcpu->vm->lazy.faults, i + 1);
	}
	assert_int_equal(device.reads + device.writes, 0);
}

/* A leaf of 1 GiB needs a PA that is a multiple of 1 GiB, too. */
TEST(a_leaf_is_as_large_as_both_addresses_allow)
{
	be_lazy(STAGE2_1G, 8);
	lazy_ram = ram_plain(GIB, 3 * GIB, 2 * GIB);
	stage2_lazy_begin(&vcpu->vm->lazy, &vcpu->vm->stage2, &lazy_ram, 7);
	assert_maps(DABT_LDP, GIB + 0x10, 1);
	lazy_ram = ram_plain(2 * GIB, GIB + 2 * MIB, GIB);
	stage2_lazy_begin(&vcpu->vm->lazy, &vcpu->vm->stage2, &lazy_ram, 7);
	assert_maps(DABT_LDP, 2 * GIB + 0x10, 2);
	assert_int_equal(level_at(2 * GIB + 2 * MIB), 0);
}

TEST(a_fault_that_no_mapping_ends_stops_the_vm)
{
	be_lazy(STAGE2_2M, 8);
	assert_maps(DABT_LDP, RAM + 0x10, 2);
	assert_stops(DABT_LDP, FAULT_DATA_ABORT); /* although the page is mapped */
	assert_stops(IABT, FAULT_PREFETCH_ABORT);
	assert_int_equal(vcpu->vm->lazy.faults, 1);
	be_lazy(STAGE2_4K, 8);
	assert_stops(0x9200004f, FAULT_DATA_ABORT); /* permission */
	assert_stops(0x9200000b, FAULT_DATA_ABORT); /* access flag */
	assert_stops(0x92000021, FAULT_DATA_ABORT); /* alignment */
	assert_stops(0x92000010, FAULT_DATA_ABORT); /* synchronous external */
	assert_stops(0x92000003, FAULT_DATA_ABORT); /* address size */
	assert_stops(0x8200000f, FAULT_PREFETCH_ABORT);
	assert_int_equal(level_at(fake_hyp.fault_ipa), 0);
	be_lazy(STAGE2_4K, 1); /* no page for a table */
	assert_stops(DABT_LDP, FAULT_DATA_ABORT);
	assert_int_equal(vcpu->vm->lazy.faults, 0);
	stage2_lazy_begin(&vcpu->vm->lazy, NULL, &lazy_ram, 0); /* an eager VM */
	assert_stops(DABT_LDP, FAULT_DATA_ABORT);
	assert_stops(IABT, FAULT_PREFETCH_ABORT);
}

TEST(a_device_comes_before_memory)
{
	be_lazy(STAGE2_4K, 8);
	vcpu->vm->region[0].base = RAM;
	fake_hyp.fault_ipa = RAM + 0x10;
	assert_skips(LDR_W3);
	assert_int_equal(device.reads, 1);
	assert_int_equal(level_at(RAM), 0);
}

static reg_t ask_stage2(reg_t what, reg_t ipa)
{
	return call(HC_ID(STAGE2), what, ipa);
}

TEST(a_guest_asks_what_its_start_cost)
{
	const uint64_t ticks[] = { 30, 10, 50 };

	be_lazy(STAGE2_4K, 8);
	assert_int_equal(ask_stage2(HC_STAGE2_TICKS_MIN, 0), 0);
	assert_int_equal(ask_stage2(HC_STAGE2_FAULTS, 0), 0);
	for (unsigned i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		fake_counter_step = ticks[i];
		assert_maps(DABT_LDP, RAM + i * PAGE_SIZE, 3);
	}
	assert_int_equal(ask_stage2(HC_STAGE2_FAULTS, 0), 3);
	assert_int_equal(ask_stage2(HC_STAGE2_TICKS, 0), 90);
	assert_int_equal(ask_stage2(HC_STAGE2_TICKS_MIN, 0), 10);
	assert_int_equal(ask_stage2(HC_STAGE2_TICKS_MAX, 0), 50);
	assert_int_equal(ask_stage2(HC_STAGE2_BUILD_TICKS, 0), 7);
	assert_int_equal(ask_stage2(HC_STAGE2_LEVEL, RAM), 3);
	assert_int_equal(ask_stage2(HC_STAGE2_LEVEL, RAM + 5 * PAGE_SIZE), 0);
	assert_int_equal(ask_stage2(HC_STAGE2_LEVEL, UINT64_MAX), 0);
	assert_int_equal(ask_stage2(HC_STAGE2_BUILD_TICKS + 1, 0), (reg_t)HC_EINVAL);
	assert_int_equal(ask_stage2(UINT64_MAX, 0), (reg_t)HC_EINVAL);
}

TEST(its_costs_stop_at_the_largest_value)
{
	be_lazy(STAGE2_4K, 8);
	fake_counter_step = UINT32_MAX - 5ull;
	assert_maps(DABT_LDP, RAM, 3);
	assert_maps(DABT_LDP, RAM + PAGE_SIZE, 3);
	assert_int_equal(ask_stage2(HC_STAGE2_TICKS_MAX, 0), UINT32_MAX - 5ull);
	assert_int_equal(ask_stage2(HC_STAGE2_TICKS, 0), UINT32_MAX);
	fake_counter_step = UINT32_MAX + 5ull;
	assert_maps(DABT_LDP, RAM + 2 * PAGE_SIZE, 3);
	assert_int_equal(ask_stage2(HC_STAGE2_TICKS_MAX, 0), UINT32_MAX);
	assert_int_equal(ask_stage2(HC_STAGE2_TICKS, 0), UINT32_MAX);
}

TEST(a_guest_unmaps_what_it_touched)
{
	be_lazy(STAGE2_2M, 8);
	assert_int_equal(ask_stage2(HC_STAGE2_UNMAP, RAM), (reg_t)HC_EINVAL); /* not mapped */
	assert_maps(DABT_LDP, RAM + 0x5000, 2);
	assert_int_equal(ask_stage2(HC_STAGE2_UNMAP, RAM + 0x1ff123), HC_OK);
	assert_int_equal(fake_tlb_stale(), 0);
	assert_maps(DABT_LDP, RAM + 0x5000, 2);
	assert_int_equal(vcpu->vm->lazy.faults, 2);
}

TEST(a_guest_unmaps_nothing_else)
{
	static const struct run_config off = { .stage2 = STAGE2_OFF };

	assert_int_equal(ask_stage2(HC_STAGE2_UNMAP, RAM), (reg_t)HC_EINVAL); /* no stage 2 */
	assert_int_equal(ask_stage2(HC_STAGE2_LEVEL, RAM), 0);
	be_lazy(STAGE2_4K, 8);
	assert_true(stage2_map(&vcpu->vm->stage2, DEVICE, DEVICE, PAGE_SIZE, STAGE2_DEVICE));
	assert_int_equal(ask_stage2(HC_STAGE2_UNMAP, DEVICE), (reg_t)HC_EINVAL);
	assert_int_equal(ask_stage2(HC_STAGE2_UNMAP, UINT64_MAX), (reg_t)HC_EINVAL);
	assert_int_equal(level_at(DEVICE), 3);
	assert_maps(DABT_LDP, RAM, 3);
	stage2_lazy_begin(&vcpu->vm->lazy, NULL, &lazy_ram, 0); /* eager */
	assert_int_equal(ask_stage2(HC_STAGE2_UNMAP, RAM), (reg_t)HC_EINVAL);
	assert_int_equal(level_at(RAM), 3);
	vcpu->vm->config = &off; /* the tables of the earlier configuration remain */
	assert_int_equal(ask_stage2(HC_STAGE2_LEVEL, RAM), 0);
}

/* --- other hypercalls --- */

#define PEEKED_AT PAGE_SIZE /* after the RAM of another VM */
#define PEEKED_SIZE (2 * PAGE_SIZE)

/* Return four pages, of which the VM has the second and the third as its RAM. */
static void *share_ram(void)
{
	static struct vm_machine machine;
	const uint64_t base = board.guest_base + PEEKED_AT;
	void *pages = fake_pages(4);

	assert_int_equal((uintptr_t)pages, board.guest_base);
	machine = (struct vm_machine){ .ram = ram_plain(base, base, PEEKED_SIZE) };
	vcpu->vm->machine = &machine;
	return pages;
}

TEST(peek_reads_the_vms_ram)
{
	uint32_t *words = share_ram();

	for (unsigned i = 0; i < 4 * PAGE_SIZE / 4; i++)
		words[i] = i | 0xf0000000;
	for (unsigned i = 0; i < 4 * PAGE_SIZE / 4; i++) {
		bool mine = i >= PEEKED_AT / 4 && i < (PEEKED_AT + PEEKED_SIZE) / 4;

		assert_int_equal(call(HC_ID(PEEK), (uintptr_t)&words[i], 0), mine ? words[i] : 0);
	}
}

/* The addresses lie outside the VM's RAM, or in its RAM but not at a word. */
TEST(peek_reads_nothing_else)
{
	const reg_t addresses[] = {
		board.guest_base - 4, board.guest_base + board.guest_size,         0,
		UINT64_MAX - 3,       (board.guest_base + PEEKED_AT) | 1ull << 32,
	};
	uint8_t *page = (uint8_t *)share_ram() + PEEKED_AT;

	for (unsigned i = 0; i < 8; i++)
		page[i] = 0xff;
	for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		assert_int_equal(call(HC_ID(PEEK), addresses[i], 0), 0);
	for (unsigned i = 1; i < 4; i++)
		assert_int_equal(call(HC_ID(PEEK), (uintptr_t)page + i, 0), 0);
}

TEST(maintenance_is_what_was_asked_for)
{
	struct fake_counts before;

	be_lazy(STAGE2_2M, 8);
	before = fake_counts;
	assert_int_equal(call(HC_ID(TLBI), HC_TLBI_VMID, 0), HC_OK);
	assert_int_equal(fake_counts.tlbi_guest_vmid, before.tlbi_guest_vmid + 1);
	assert_int_equal(fake_counts.tlbi_all_guests, before.tlbi_all_guests);
	assert_int_equal(call(HC_ID(TLBI), HC_TLBI_ALL, 0), HC_OK);
	assert_int_equal(fake_counts.tlbi_guest_vmid, before.tlbi_guest_vmid + 1);
	assert_int_equal(fake_counts.tlbi_all_guests, before.tlbi_all_guests + 1);
}

static unsigned current_vmid(void)
{
	return (unsigned)(read_vttbr_el2() >> 48);
}

TEST(the_vmid_is_switched)
{
	unsigned before;

	be_lazy(STAGE2_2M, 8);
	before = fake_counts.tlbi_guest_vmid;
	assert_int_equal(call(HC_ID(VMID), 0, 0), HC_OK);
	assert_int_equal(current_vmid(), 1u ^ STAGE2_VMID_TWIN);
	assert_int_equal(fake_counts.tlbi_guest_vmid, before);
	assert_int_equal(call(HC_ID(VMID), 1, 0), HC_OK);
	assert_int_equal(current_vmid(), 1);
	assert_int_equal(fake_counts.tlbi_guest_vmid, before + 1);
}

static void assert_does_nothing(reg_t id, reg_t first)
{
	struct fake_counts before = fake_counts;
	uint64_t vttbr = read_vttbr_el2();

	assert_int_equal(call(id, first, 0), (reg_t)HC_EINVAL);
	assert_memory_equal(&fake_counts, &before, sizeof(before));
	assert_int_equal(read_vttbr_el2(), vttbr);
}

/* Without stage 2 there is nothing to maintain. With stage 2 these arguments are out of range. */
TEST(what_cannot_be_maintained_is_refused)
{
	assert_does_nothing(HC_ID(TLBI), HC_TLBI_VMID);
	assert_does_nothing(HC_ID(TLBI), HC_TLBI_ALL);
	assert_does_nothing(HC_ID(VMID), 0);
	assert_does_nothing(HC_ID(VMID), 1);
	be_lazy(STAGE2_2M, 8);
	assert_does_nothing(HC_ID(TLBI), HC_TLBI_ALL + 1);
	assert_does_nothing(HC_ID(TLBI), 1ull << 32);
	assert_does_nothing(HC_ID(VMID), 2);
	assert_does_nothing(HC_ID(VMID), 1ull << 32);
}

/* An exit ends a running VM. The outcome of another vCPU's fault, or of a stop by EL2, stays. */
TEST(an_exit_ends_the_vm_once)
{
	static const struct {
		reg_t reason;
		enum vm_outcome before, after;
	} rows[] = {
		{ GUEST_EXIT_DONE, VM_RUNNING, VM_DONE },
		{ GUEST_EXIT_REFUSED, VM_RUNNING, VM_REFUSED },
		{ GUEST_EXIT_FAILED, VM_RUNNING, VM_FAILED },
		{ GUEST_EXIT_DONE, VM_FAULT, VM_FAULT },
		{ GUEST_EXIT_DONE, VM_CREATED, VM_CREATED },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		vcpu->vm->outcome = rows[i].before;
		exit_with(rows[i].reason);
		assert_int_equal(vcpu->vm->outcome, rows[i].after);
	}
}

TEST(the_first_vcpu_alone_has_the_heartbeat)
{
	vcpu->index = 1;
	assert_int_equal(call(HC_ID(HEARTBEAT), 1000, 0), (reg_t)HC_EINVAL);
	assert_false(timer_is_queued(&vcpu->vm->heartbeat));
	vcpu->index = 0;
	assert_int_equal(call(HC_ID(HEARTBEAT), 1000, 0), HC_OK);
	assert_true(timer_is_queued(&vcpu->vm->heartbeat));
	vcpu->index = 1;
	call(HC_ID(HEARTBEAT), 0, 0);
	assert_true(timer_is_queued(&vcpu->vm->heartbeat));
	timerq_stop(&vcpu->vm->heartbeat);
	vcpu->index = 0;
}
