/* SPDX-License-Identifier: Apache-2.0 */
/* The hypercalls PEEK, STAGE2 LEVEL, TLBI, VMID, EXIT and HEARTBEAT. */
/* LINK: exit-path drivers/gic/gicv2.c */

#include "abi/hypercall.h"
#include "arch/sysreg.h"
#include "boards/board.h"
#include "hyp/trap/hypercall.h"
#include "hyp/trap/trap.h"
#include "hyp/vm/vm.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

#define MIB 0x100000ull
#define VMID 1u

#define RAM_AT PAGE_SIZE /* after that of another VM */
#define RAM_SIZE (2 * PAGE_SIZE)

static struct run_config config;
static struct vcpu vcpu;
static struct vm vm;
static struct vm_machine machine;
static void *ram; /* of several VMs: four pages */
static struct page_pool pool;

static void setup(void)
{
	pte_t *root;

	fake_hyp_reset();
	config = (struct run_config){ .stage2 = STAGE2_2M };
	machine = (struct vm_machine){ .ram = ram_plain(board.guest_base + RAM_AT,
							board.guest_base + RAM_AT, RAM_SIZE) };
	vm = (struct vm){ .config = &config,
			  .machine = &machine,
			  .vmid = VMID,
			  .vcpu_count = 1,
			  .vcpu = { &vcpu } };
	vcpu.vm = &vm;
	vcpu.hypercalls = hypercalls_bench;
	ram = fake_pages(4);
	root = fake_pages(1);
	pool = (struct page_pool){ .base = fake_pages(8), .count = 8 };
	stage2_reset(&vm.stage2, VMID, STAGE2_2M, &pool, root);
	assert_true(stage2_map(&vm.stage2, 0, 0, 4 * MIB, STAGE2_NORMAL));
	assert_true(stage2_map(&vm.stage2, 8 * MIB, 0, PAGE_SIZE, STAGE2_NORMAL));
}

static reg_t call(reg_t id, reg_t first, reg_t second)
{
	vcpu.frame.x[0] = id;
	vcpu.frame.x[1] = first;
	vcpu.frame.x[2] = second;
	assert_ptr_equal(trap_hvc(&vcpu, (uint32_t)vcpu.frame.x[0]), &vcpu);
	return vcpu.frame.x[0];
}

EACH_TEST(setup, NULL);

TEST(peek_reads_the_vms_ram)
{
	uint32_t *words = ram;

	assert_int_equal((uintptr_t)words, board.guest_base);
	for (unsigned i = 0; i < 4 * PAGE_SIZE / 4; i++)
		words[i] = i | 0xf0000000;
	for (unsigned i = 0; i < 4 * PAGE_SIZE / 4; i++) {
		bool mine = i >= RAM_AT / 4 && i < (RAM_AT + RAM_SIZE) / 4;

		assert_int_equal(call(HC_ID(PEEK), (uintptr_t)&words[i], 0), mine ? words[i] : 0);
	}
}

/* The address is far away, or in its RAM and not a word's. */
TEST(peek_reads_nothing_else)
{
	const reg_t addresses[] = {
		board.guest_base - 4, board.guest_base + board.guest_size,      0,
		UINT64_MAX - 3,       (board.guest_base + RAM_AT) | 1ull << 32,
	};
	uint8_t *page = (uint8_t *)ram + RAM_AT;

	for (unsigned i = 0; i < 8; i++)
		page[i] = 0xff;
	for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		assert_int_equal(call(HC_ID(PEEK), addresses[i], 0), 0);
	for (unsigned i = 1; i < 4; i++)
		assert_int_equal(call(HC_ID(PEEK), (uintptr_t)page + i, 0), 0);
}

TEST(maintenance_is_what_was_asked_for)
{
	struct fake_counts before = fake_counts;

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
	unsigned before = fake_counts.tlbi_guest_vmid;

	assert_int_equal(call(HC_ID(VMID), 0, 0), HC_OK);
	assert_int_equal(current_vmid(), VMID ^ STAGE2_VMID_TWIN);
	assert_int_equal(fake_counts.tlbi_guest_vmid, before);
	assert_int_equal(call(HC_ID(VMID), 1, 0), HC_OK);
	assert_int_equal(current_vmid(), VMID);
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

TEST(arguments_out_of_range_are_refused)
{
	assert_does_nothing(HC_ID(TLBI), HC_TLBI_ALL + 1);
	assert_does_nothing(HC_ID(TLBI), 1ull << 32);
	assert_does_nothing(HC_ID(VMID), 2);
	assert_does_nothing(HC_ID(VMID), 1ull << 32);
	assert_does_nothing(HC_ID(STAGE2), UINT64_MAX);
}

TEST(without_stage_2_there_is_nothing_to_maintain)
{
	config.stage2 = STAGE2_OFF;
	assert_does_nothing(HC_ID(TLBI), HC_TLBI_VMID);
	assert_does_nothing(HC_ID(TLBI), HC_TLBI_ALL);
	assert_does_nothing(HC_ID(VMID), 0);
	assert_does_nothing(HC_ID(VMID), 1);
}

static enum vm_outcome outcome_after_exit(enum vm_outcome before, reg_t reason)
{
	vm.outcome = before;
	vcpu.frame.x[0] = HC_ID(EXIT);
	vcpu.frame.x[1] = reason;
	assert_null(trap_hvc(&vcpu, HC_ID(EXIT)));
	return vm.outcome;
}

/* Each ends the VM; another vCPU's fault, or that EL2 has stopped the VM, stays. */
TEST(an_exit_ends_the_vm_once)
{
	static const uint8_t outcome[] = {
		[GUEST_EXIT_DONE] = VM_DONE,
		[GUEST_EXIT_REFUSED] = VM_REFUSED,
		[GUEST_EXIT_FAILED] = VM_FAILED,
	};

	for (unsigned reason = 0; reason < sizeof(outcome); reason++) {
		assert_int_equal(outcome_after_exit(VM_RUNNING, reason), outcome[reason]);
		assert_int_equal(outcome_after_exit(VM_FAULT, reason), VM_FAULT);
		assert_int_equal(outcome_after_exit(VM_CREATED, reason), VM_CREATED);
	}
}

TEST(the_first_vcpu_alone_has_the_heartbeat)
{
	vcpu.index = 1;
	assert_int_equal(call(HC_ID(HEARTBEAT), 1000, 0), (reg_t)HC_EINVAL);
	assert_false(timer_is_queued(&vm.heartbeat));
	vcpu.index = 0;
	assert_int_equal(call(HC_ID(HEARTBEAT), 1000, 0), HC_OK);
	assert_true(timer_is_queued(&vm.heartbeat));
	vcpu.index = 1;
	call(HC_ID(HEARTBEAT), 0, 0);
	assert_true(timer_is_queued(&vm.heartbeat));
	timerq_stop(&vm.heartbeat);
	vcpu.index = 0;
}
