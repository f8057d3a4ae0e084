/* SPDX-License-Identifier: Apache-2.0 */
/* From a syndrome to what handles it, and what it leaves behind. */
/* LINK: exit-path drivers/gic/gicv2.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "abi/hypercall.h"
#include "abi/probe.h"
#include "abi/record.h"
#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "boards/board.h"
#include "hyp/exit_stats.h"
#include "hyp/sched.h"
#include "hyp/trap.h"
#include "hyp/vm.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/vgic_guest.h"

#define DEVICE 0x09000000u
#define DEVICE_SIZE 0x1000u
#define LDR_W3 0x93830005u
#define STR_W12 0x938c0045u

/* Syndromes of stage-2 translation faults, level 3 */
#define DABT_LDP 0x92000007u   /* without a description of the access */
#define DABT_DC 0x92000147u    /* cache maintenance */
#define DABT_S1PTW 0x92000087u /* a stage-1 walk */
#define IABT 0x82000007u
#define IABT_S1PTW 0x82000087u

#define RAM FAKE_GUEST_BASE
#define RAM_SIZE 0x1000000u

static struct vcpu *const vcpu = &guest_vcpu;
static const struct run_config config_on = { .stats = 1, .trace = 1 };
static struct run_config guest_config; /* the same, in some tests with a stage 2 filled lazily */
static struct page_pool pool;

/* The device: what it was asked last, and what it answers. */
static struct {
	unsigned reads, writes;
	uint32_t offset;
	unsigned size;
	uint64_t value;
} device;

static uint64_t device_read(struct vcpu *asking, uint32_t offset, unsigned size)
{
	assert_ptr_equal(asking, vcpu);
	device.reads++;
	device.offset = offset;
	device.size = size;
	return device.value;
}

static void device_write(struct vcpu *asking, uint32_t offset, unsigned size, uint64_t value)
{
	assert_ptr_equal(asking, vcpu);
	device.writes++;
	device.offset = offset;
	device.size = size;
	device.value = value;
}

static int setup(void **state)
{
	(void)state;
	guest_boot(4, true, false);
	memset(&device, 0, sizeof(device));
	memset(&vcpu->frame, 0, sizeof(vcpu->frame));
	vcpu->vm->outcome = VM_RUNNING;
	vcpu->vm->smc_count = 0;
	vcpu->vm->region_count = 1;
	vcpu->vm->region[0] =
		(struct mmio_region){ DEVICE, DEVICE_SIZE, device_read, device_write };
	fake_hyp.fault_ipa = DEVICE + 0x10;
	guest_config = config_on;
	vcpu->vm->config = &guest_config;
	memset(&vcpu->vm->lazy, 0, sizeof(vcpu->vm->lazy));
	return 0;
}

/* Guest RAM is to be mapped at its first touch, with this many pages for tables. */
static void be_lazy(enum stage2_grain grain, unsigned pool_pages)
{
	struct stage2 *stage2 = &vcpu->vm->stage2;
	pte_t *root = fake_pages(1);

	pool = (struct page_pool){ .base = fake_pages(pool_pages), .count = pool_pages };
	guest_config = (struct run_config){ .stage2 = grain, .fill = FILL_LAZY };
	fake_tlb_watch(root, STAGE2_INPUT_GIB);
	stage2_reset(stage2, 1, grain, &pool, root);
	stage2_lazy_begin(&vcpu->vm->lazy, stage2, RAM, RAM_SIZE, 7);
	fake_hyp.fault_ipa = RAM + 0x5010;
}

static unsigned level_at(ipa_t ipa)
{
	struct pagetable_leaf leaf;

	return stage2_walk(&vcpu->vm->stage2, ipa, &leaf) ? leaf.level : 0;
}

/* Takes the trap of a syndrome. */
static struct vcpu *take(uint32_t esr)
{
	fake_esr_el2 = esr;
	return trap_sync(vcpu);
}

/* Emulated: the guest goes on behind the instruction. */
static void assert_skips(uint32_t esr)
{
	unsigned before = fake_hyp.skipped;

	assert_ptr_equal(take(esr), vcpu);
	assert_int_equal(fake_hyp.skipped, before + 1);
	assert_int_equal(fake_hyp.faults, 0);
}

/* The VM is stopped, and the record says why. */
static void assert_stops(uint32_t esr, enum fault_reason reason)
{
	fake_hyp.faults = 0;
	fake_far_el2 = 0xffff000000001230;
	assert_null(take(esr));
	assert_int_equal(fake_hyp.faults, 1);
	assert_int_equal(fake_hyp.reason, reason);
	assert_int_equal(fake_hyp.esr, esr);
	assert_int_equal(fake_hyp.va, 0xffff000000001230);
	assert_int_equal(fake_hyp.ipa, fake_hyp.fault_ipa);
	assert_int_equal(fake_hyp.skipped, 0);
	assert_int_equal(vcpu->vm->outcome, VM_FAULT);
}

/* --- emulated devices --- */

static void a_load_puts_the_devices_answer_into_its_register(void **state)
{
	(void)state;
	device.value = 0xfffffff812345678;
	vcpu->frame.x[3] = UINT64_MAX;
	assert_skips(LDR_W3);
	assert_int_equal(device.reads, 1);
	assert_int_equal(device.offset, 0x10);
	assert_int_equal(device.size, 4);
	assert_int_equal(vcpu->frame.x[3], 0x12345678);
}

static void a_signed_load_fills_the_register(void **state)
{
	(void)state;
	device.value = 0x80;
	assert_skips(0x93278005); /* ldrsb x7, [x0] */
	assert_int_equal(vcpu->frame.x[7], 0xffffffffffffff80);
	assert_int_equal(device.size, 1);
}

static void a_store_hands_over_its_register(void **state)
{
	(void)state;
	vcpu->frame.x[12] = 0x87654321;
	assert_skips(STR_W12);
	assert_int_equal(device.writes, 1);
	assert_int_equal(device.value, 0x87654321);
	assert_int_equal(device.size, 4);
	vcpu->frame.x[13] = 0x1122334455667788;
	assert_skips(0x93cd8045); /* str x13, [x0] */
	assert_int_equal(device.value, 0x1122334455667788);
	assert_int_equal(device.size, 8);
}

static void a_store_of_a_byte_says_its_size(void **state)
{
	(void)state;
	vcpu->frame.x[10] = 0x87654321;
	assert_skips(0x930a0045); /* strb w10, [x0] */
	assert_int_equal(device.value & 0xff, 0x21);
	assert_int_equal(device.size, 1);
}

static void register_31_reads_as_zero_and_takes_nothing(void **state)
{
	struct trap_frame before;

	(void)state;
	memset(&vcpu->frame, 0xaa, sizeof(vcpu->frame));
	before = vcpu->frame;
	device.value = 0x55;
	assert_skips(0x939f0005); /* ldr wzr, [x0] */
	assert_memory_equal(&vcpu->frame, &before, sizeof(before));
	assert_skips(0x93df8045); /* str xzr, [x0] */
	assert_int_equal(device.writes, 1);
	assert_int_equal(device.value, 0);
}

static void a_device_has_its_first_and_its_last_byte(void **state)
{
	(void)state;
	fake_hyp.fault_ipa = DEVICE;
	assert_skips(LDR_W3);
	assert_int_equal(device.offset, 0);
	fake_hyp.fault_ipa = DEVICE + DEVICE_SIZE - 1;
	assert_skips(0x93010005); /* ldrb w1, [x0] */
	assert_int_equal(device.offset, DEVICE_SIZE - 1);
}

static void beside_a_device_the_vm_is_stopped(void **state)
{
	(void)state;
	fake_hyp.fault_ipa = DEVICE - 1;
	assert_stops(LDR_W3, FAULT_DATA_ABORT);
	fake_hyp.fault_ipa = DEVICE + DEVICE_SIZE;
	assert_stops(STR_W12, FAULT_DATA_ABORT);
	assert_int_equal(device.reads + device.writes, 0);
}

static void without_a_syndrome_a_device_cannot_be_emulated(void **state)
{
	(void)state;
	assert_stops(0x92000005, FAULT_MMIO_SYNDROME); /* ldp w1, w2, [x0] */
	assert_stops(0x92000145, FAULT_MMIO_SYNDROME); /* cache maintenance */
	assert_stops(0x92000085, FAULT_MMIO_SYNDROME); /* a stage-1 walk */
	assert_int_equal(device.reads + device.writes, 0);
}

static void other_faults_at_a_device_stop_the_vm(void **state)
{
	(void)state;
	assert_stops(0x9381004d, FAULT_DATA_ABORT); /* permission */
	assert_stops(0x93810009, FAULT_DATA_ABORT); /* access flag */
	assert_stops(0x93810010, FAULT_DATA_ABORT); /* synchronous external */
	assert_int_equal(device.reads + device.writes, 0);
}

/* --- memory that is mapped at its first touch --- */

/* Mapped: the guest goes on with the same instruction. */
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

static void a_first_touch_of_any_kind_maps_one_leaf(void **state)
{
	const uint32_t touches[] = { LDR_W3 | 2, STR_W12 | 2, DABT_LDP,   DABT_DC,
				     DABT_S1PTW, IABT,        IABT_S1PTW, DABT_LDP & ~1u };

	(void)state;
	be_lazy(STAGE2_4K, 8);
	for (unsigned i = 0; i < sizeof(touches) / sizeof(touches[0]); i++) {
		ipa_t ipa = RAM + 2 * i * PAGE_SIZE;

		assert_maps(touches[i], ipa + 0x10, 3);
		assert_int_equal(level_at(ipa + PAGE_SIZE), 0);
		assert_int_equal(vcpu->vm->lazy.faults, i + 1);
	}
	assert_int_equal(device.reads + device.writes, 0);
}

static void a_fault_that_stays_stops_the_vm(void **state)
{
	(void)state;
	be_lazy(STAGE2_2M, 8);
	assert_maps(DABT_LDP, RAM + 0x10, 2);
	assert_stops(DABT_LDP, FAULT_DATA_ABORT);
	assert_stops(IABT, FAULT_PREFETCH_ABORT);
	assert_int_equal(vcpu->vm->lazy.faults, 1);
}

static void a_fault_that_no_mapping_ends_stops_the_vm(void **state)
{
	(void)state;
	be_lazy(STAGE2_4K, 8);
	assert_stops(0x9200004f, FAULT_DATA_ABORT); /* permission */
	assert_stops(0x9200000b, FAULT_DATA_ABORT); /* access flag */
	assert_stops(0x92000021, FAULT_DATA_ABORT); /* alignment */
	assert_stops(0x92000010, FAULT_DATA_ABORT); /* synchronous external */
	assert_stops(0x92000003, FAULT_DATA_ABORT); /* address size */
	assert_stops(0x8200000f, FAULT_PREFETCH_ABORT);
	assert_int_equal(level_at(fake_hyp.fault_ipa), 0);
}

static void outside_of_its_memory_a_lazy_vm_is_stopped(void **state)
{
	const ipa_t outside[] = { 0, RAM - 1, RAM + RAM_SIZE, UINT64_MAX };

	(void)state;
	be_lazy(STAGE2_1G, 8);
	for (unsigned i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
		fake_hyp.fault_ipa = outside[i];
		assert_stops(DABT_LDP, FAULT_DATA_ABORT);
		assert_stops(IABT, FAULT_PREFETCH_ABORT);
		assert_int_equal(level_at(outside[i]), 0);
	}
	assert_maps(IABT, RAM + RAM_SIZE - 4, 2); /* no leaf of 1 GiB holds this RAM alone */
	assert_int_equal(level_at(RAM - 1), 0);
	assert_int_equal(level_at(RAM + RAM_SIZE), 0);
}

static void an_eager_vm_is_stopped_in_its_memory_too(void **state)
{
	(void)state;
	be_lazy(STAGE2_2M, 8);
	stage2_lazy_begin(&vcpu->vm->lazy, NULL, RAM, RAM_SIZE, 0);
	assert_stops(DABT_LDP, FAULT_DATA_ABORT);
	assert_stops(IABT, FAULT_PREFETCH_ABORT);
}

static void without_a_page_for_a_table_the_vm_is_stopped(void **state)
{
	(void)state;
	be_lazy(STAGE2_4K, 1);
	assert_stops(DABT_LDP, FAULT_DATA_ABORT);
	assert_int_equal(vcpu->vm->lazy.faults, 0);
}

static void a_device_comes_before_memory(void **state)
{
	(void)state;
	be_lazy(STAGE2_4K, 8);
	vcpu->vm->region[0].base = RAM;
	fake_hyp.fault_ipa = RAM + 0x10;
	assert_skips(LDR_W3);
	assert_int_equal(device.reads, 1);
	assert_int_equal(level_at(RAM), 0);
}

static reg_t ask_stage2(reg_t what, reg_t ipa)
{
	vcpu->frame.x[0] = HC_ID(STAGE2);
	vcpu->frame.x[1] = what;
	vcpu->frame.x[2] = ipa;
	assert_ptr_equal(trap_hvc(vcpu), vcpu);
	return vcpu->frame.x[0];
}

static void a_guest_asks_what_its_start_cost(void **state)
{
	const uint64_t ticks[] = { 30, 10, 50 };

	(void)state;
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

static void its_costs_stop_at_the_largest_value(void **state)
{
	(void)state;
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

static void a_guest_unmaps_what_it_touched(void **state)
{
	(void)state;
	be_lazy(STAGE2_2M, 8);
	assert_int_equal(ask_stage2(HC_STAGE2_UNMAP, RAM), (reg_t)HC_EINVAL); /* not mapped */
	assert_maps(DABT_LDP, RAM + 0x5000, 2);
	assert_int_equal(ask_stage2(HC_STAGE2_UNMAP, RAM + 0x1ff123), HC_OK);
	assert_int_equal(fake_tlb_stale(), 0);
	assert_maps(DABT_LDP, RAM + 0x5000, 2);
	assert_int_equal(vcpu->vm->lazy.faults, 2);
}

static void a_guest_unmaps_nothing_else(void **state)
{
	(void)state;
	assert_int_equal(ask_stage2(HC_STAGE2_UNMAP, RAM), (reg_t)HC_EINVAL); /* no stage 2 */
	assert_int_equal(ask_stage2(HC_STAGE2_LEVEL, RAM), 0);
	be_lazy(STAGE2_4K, 8);
	assert_true(stage2_map(&vcpu->vm->stage2, DEVICE, DEVICE, PAGE_SIZE, STAGE2_DEVICE));
	assert_int_equal(ask_stage2(HC_STAGE2_UNMAP, DEVICE), (reg_t)HC_EINVAL);
	assert_int_equal(ask_stage2(HC_STAGE2_UNMAP, UINT64_MAX), (reg_t)HC_EINVAL);
	assert_int_equal(level_at(DEVICE), 3);
	assert_maps(DABT_LDP, RAM, 3);
	stage2_lazy_begin(&vcpu->vm->lazy, NULL, RAM, RAM_SIZE, 0); /* eager */
	assert_int_equal(ask_stage2(HC_STAGE2_UNMAP, RAM), (reg_t)HC_EINVAL);
	assert_int_equal(level_at(RAM), 3);
}

/* --- the other classes --- */

static void a_hypercall_reaches_its_function(void **state)
{
	(void)state;
	vcpu->frame.x[0] = HC_ID(NULL);
	assert_ptr_equal(take(0x5a000000), vcpu); /* hvc #0: returns behind it by itself */
	assert_int_equal(vcpu->frame.x[0], HC_OK);
	vcpu->frame.x[0] = HC_ID(NULL);
	assert_ptr_equal(take(0x4a000000), vcpu); /* hvc #0 (Cortex-A15) */
	assert_int_equal(vcpu->frame.x[0], HC_OK);
	vcpu->frame.x[0] = HC_ID(NULL);
	assert_ptr_equal(trap_hvc(vcpu), vcpu);
	assert_int_equal(vcpu->frame.x[0], HC_OK);
	assert_int_equal(fake_hyp.skipped, 0);
}

static void cold_takes_a_state_and_nothing_else(void **state)
{
	(void)state;
	for (reg_t i = 0; i <= STATE_COLD_TLB + 1; i++) {
		vcpu->frame.x[0] = HC_ID(COLD);
		vcpu->frame.x[1] = i;
		assert_ptr_equal(trap_hvc(vcpu), vcpu);
		assert_int_equal(vcpu->frame.x[0], i <= STATE_COLD_TLB ? HC_OK : (reg_t)HC_EINVAL);
	}
	assert_int_equal(fake_counts.icache_core, 1);
	assert_int_equal(fake_counts.tlbi_core_guests, 1);
}

static void an_unknown_hypercall_says_so(void **state)
{
	const reg_t ids[] = { HC_BASE + HC_COUNT, HC_BASE - 1, 0, UINT64_MAX,
			      HC_ID(NULL) | 1ull << 32 };

	(void)state;
	for (unsigned i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		vcpu->frame.x[0] = ids[i];
		assert_ptr_equal(trap_hvc(vcpu), vcpu);
		assert_int_equal(vcpu->frame.x[0], (reg_t)HC_EUNKNOWN);
	}
}

static struct vcpu *guest_exit(reg_t how)
{
	vcpu->frame.x[0] = HC_ID(EXIT);
	vcpu->frame.x[1] = how;
	return trap_hvc(vcpu);
}

static void a_guest_ends_its_step(void **state)
{
	(void)state;
	assert_null(guest_exit(GUEST_EXIT_DONE));
	assert_int_equal(vcpu->vm->outcome, VM_DONE);
	assert_null(guest_exit(GUEST_EXIT_REFUSED));
	assert_int_equal(vcpu->vm->outcome, VM_REFUSED);
	assert_int_equal(fake_hyp.faults, 0);
	assert_null(guest_exit(GUEST_EXIT_CRASHED));
	assert_int_equal(vcpu->vm->outcome, VM_CRASHED);
	assert_int_equal(fake_hyp.reason, FAULT_GUEST_CRASH);
	assert_null(guest_exit(1ull << 32));
	assert_int_equal(vcpu->vm->outcome, VM_FAULT);
	assert_int_equal(fake_hyp.reason, FAULT_BAD_EXIT);
}

static reg_t guest_record(reg_t kind, const char *body, reg_t size)
{
	char *buffer = (char *)fake_pages(4) + 0x1000; /* the guest's RAM begins there */

	memcpy(buffer, body, strlen(body));
	vcpu->frame.x[0] = HC_ID(RECORD);
	vcpu->frame.x[1] = kind;
	vcpu->frame.x[2] = size;
	assert_ptr_equal(trap_hvc(vcpu), vcpu);
	return vcpu->frame.x[0];
}

static void a_guests_record_comes_from_its_buffer(void **state)
{
	(void)state;
	assert_int_equal(guest_record(RECORD_CHECK, "\"ok\":true", 9), HC_OK);
	assert_non_null(strstr(fake_hyp.console, "\"kind\":\"check\",\"ok\":true,\"crc\":"));
}

static void a_guests_record_that_is_none_is_refused(void **state)
{
	const char *body = "\"ok\":true";

	(void)state;
	assert_int_equal(guest_record(RECORD_KIND_COUNT, body, 9), (reg_t)HC_EINVAL);
	fake_reset();
	assert_int_equal(guest_record(RECORD_CHECK | 1ull << 32, body, 9), (reg_t)HC_EINVAL);
	fake_reset();
	assert_int_equal(guest_record(RECORD_CHECK, body, 0xff001), (reg_t)HC_EINVAL);
	fake_reset();
	assert_int_equal(guest_record(RECORD_CHECK, body, UINT64_MAX), (reg_t)HC_EINVAL);
	fake_reset();
	assert_int_equal(guest_record(RECORD_CHECK, body, 0), (reg_t)HC_EINVAL);
	assert_string_equal(fake_hyp.console, "");
}

static void an_smc_is_answered_and_counted(void **state)
{
	(void)state;
	vcpu->frame.x[0] = 0x84000000; /* PSCI_VERSION */
	assert_skips(0x5e000000);      /* smc #0 */
	assert_int_equal(vcpu->frame.x[0], (reg_t)-1);
	assert_skips(0x4e000000); /* smc #0 (Cortex-A15) */
	assert_int_equal(vcpu->vm->smc_count, 2);
}

static void wfi_waits(void **state)
{
	(void)state;
	assert_skips(0x07e00000); /* wfi */
	assert_int_equal(fake_barriers.wfi, 1);
}

static void wfi_with_an_interrupt_pending_does_not_wait(void **state)
{
	(void)state;
	guest_send_sgi(1, 0);
	assert_skips(0x07e00000);
	assert_int_equal(fake_barriers.wfi, 0);
}

static void wfe_and_a_wfi_whose_condition_fails_do_not_wait(void **state)
{
	(void)state;
	assert_skips(0x07e00001); /* wfe */
	fake_hyp.condition_failed = true;
	assert_skips(0x07000000); /* wfieq */
	assert_int_equal(fake_barriers.wfi, 0);
}

static void a_known_register_is_emulated(void **state)
{
	(void)state;
	fake_actlr_el1 = 0x42;
	assert_skips(0x62320461); /* mrs x3, actlr_el1 */
	assert_int_equal(vcpu->frame.x[3], 0x42);
	assert_skips(0x62320460); /* msr actlr_el1, x3 */
	assert_int_equal(fake_actlr_el1, 0x42);
}

static void an_unknown_register_stops_the_vm(void **state)
{
	(void)state;
	assert_stops(0x62310461, FAULT_UNHANDLED_TRAP);
}

static void a_fetch_from_nowhere_stops_the_vm(void **state)
{
	(void)state;
	assert_stops(0x82000005, FAULT_PREFETCH_ABORT);
	assert_stops(0x82000085, FAULT_PREFETCH_ABORT);
}

/* Every class that has no handler; of these one may have none (its place in the table is empty). */
static void every_other_class_stops_the_vm(void **state)
{
	const uint64_t handled = 1ull << 0x01 | 1ull << 0x03 | 1ull << 0x04 | 1ull << 0x12 |
				 1ull << 0x13 | 1ull << 0x16 | 1ull << 0x17 | 1ull << 0x18 |
				 1ull << 0x20 | 1ull << 0x24;

	(void)state;
	for (uint32_t class = 0; class < 64; class ++)
		if (!(handled >> class & 1))
			assert_stops(class << 26 | 1u << 25, FAULT_UNHANDLED_TRAP);
}

static void an_serror_stops_the_vm(void **state)
{
	(void)state;
	fake_esr_el2 = 0xbe000000;
	assert_null(trap_serror(vcpu));
	assert_int_equal(fake_hyp.reason, FAULT_SERROR);
}

/* --- interrupts --- */

static void the_hypervisors_timer_stops_the_vm(void **state)
{
	const struct run_config alone = { .sched = SCHED_NULL };

	(void)state;
	sched_start(&alone, vcpu, NULL, 0, 1000);
	fake_cntpct_el0 = 1000;
	gic_enable(FAKE_HYP_TIMER);
	fake_gic_line(FAKE_HYP_TIMER, true);
	assert_null(trap_irq(vcpu));
	assert_int_equal(fake_hyp.reason, FAULT_TIME_LIMIT);
	assert_false(gic_is_active(FAKE_HYP_TIMER));
	assert_null(fake_gic_violation());
}

static void an_interrupt_that_went_away_is_not_ended(void **state)
{
	(void)state;
	assert_ptr_equal(trap_irq(vcpu), vcpu);
	assert_null(fake_gic_violation());
}

static void nobodys_interrupt_comes_once(void **state)
{
	(void)state;
	gic_enable(50);
	fake_gic_line(50, true);
	assert_ptr_equal(trap_irq(vcpu), vcpu);
	assert_false(fake_gic_irq());
	assert_false(gic_is_active(50));
	assert_null(fake_gic_violation());
}

/* --- accounted for --- */

static void account(void)
{
	exit_stats_reset(&config_on);
}

static bool console_has(const char *what)
{
	bool found;

	exit_stats_emit();
	found = strstr(fake_hyp.console, what) != NULL;
	if (!found)
		print_error("no %s in %s\n", what, fake_hyp.console);
	fake_hyp.console_size = 0;
	fake_hyp.console[0] = '\0';
	return found;
}

static bool console_is_empty(void)
{
	exit_stats_emit();
	return fake_hyp.console_size == 0;
}

/* As an exit begins in vectors that account for it. */
static void begin(uint32_t esr)
{
	fake_esr_el2 = esr;
	vcpu->exit_start = read_cntpct_el0();
}

/* What is counted is one exit of this kind. */
static void assert_counted(const char *kind)
{
	char wanted[80];

	snprintf(wanted, sizeof(wanted), "\"exit\":\"%s\",\"n\":1,", kind);
	assert_true(console_has(wanted));
	account();
}

static void assert_traced(const char *event, const char *arg)
{
	char wanted[80];

	snprintf(wanted, sizeof(wanted), "\"event\":\"%s\",\"arg\":\"%s\"", event, arg);
	assert_true(console_has(wanted));
	account();
}

static void count_sync(uint32_t esr)
{
	struct vcpu *next;

	begin(esr);
	next = trap_sync(vcpu);
	if (next)
		trap_count_sync(vcpu->exit_start);
	else
		assert_ptr_equal(trap_count_leaving(next, vcpu->exit_start), next);
}

static void trace_sync(uint32_t esr)
{
	begin(esr);
	trap_sync_traced(vcpu);
}

/* Of both isas; where the step ends, too. */
static const struct {
	uint32_t esr;
	const char *kind, *arg;
} sync_exits[] = {
	{ LDR_W3, "mmio-read", "0x9000010" },        { STR_W12, "mmio-write", "0x9000010" },
	{ 0x9381004d, "stage2-fault", "0x9000010" }, { 0x82000005, "stage2-fault", "0x9000010" },
	{ 0x5e000000, "smc", "0x5e000000" },         { 0x07e00000, "wfi", "0x7e00000" },
	{ 0x62320461, "sysreg", "0x62320461" },      { 0xf2000000, "other", "0xf2000000" },
};

static void every_exit_is_accounted_for_by_its_kind(void **state)
{
	(void)state;
	account();
	for (unsigned i = 0; i < sizeof(sync_exits) / sizeof(sync_exits[0]); i++) {
		count_sync(sync_exits[i].esr);
		assert_counted(sync_exits[i].kind);
		trace_sync(sync_exits[i].esr);
		assert_traced(sync_exits[i].kind, sync_exits[i].arg);
	}
	begin(0);
	trap_count_hvc(vcpu->exit_start);
	assert_counted("hvc");
	vcpu->frame.x[0] = HC_ID(NULL);
	begin(0);
	trap_hvc_traced(vcpu);
	assert_traced("hvc", "0x86000000");
}

static void interrupt_by(unsigned intid)
{
	if (intid == FAKE_GIC_MAINTENANCE)
		gic_set_pending(intid);
	else
		fake_gic_line(intid, true);
	begin(0);
}

static void a_first_touch_is_accounted_for_as_one(void **state)
{
	(void)state;
	be_lazy(STAGE2_4K, 8);
	account();
	count_sync(DABT_LDP);
	assert_counted("stage2-map");
	fake_hyp.fault_ipa = RAM;
	trace_sync(IABT);
	assert_traced("stage2-map", "0x20000000");
	fake_hyp.fault_ipa = RAM + PAGE_SIZE;
	trace_sync(DABT_LDP);
	assert_counted("stage2-map");
	fake_hyp.fault_ipa = DEVICE + 0x10;
	count_sync(LDR_W3);
	assert_counted("mmio-read");
	fake_hyp.fault_ipa = RAM; /* it stayed, though mapped */
	count_sync(IABT);
	assert_counted("stage2-fault");
}

static void every_interrupt_is_accounted_for_by_its_kind(void **state)
{
	static const struct {
		unsigned intid;
		const char *kind, *arg;
	} irqs[] = {
		{ GUEST_TIMER, "irq", "0x1b" },
		{ FAKE_SPI_FIRST, "irq", "0x60" },
		{ FAKE_GIC_MAINTENANCE, "maintenance", "0x19" },
		{ FAKE_HYP_TIMER, "hyp-timer", "0x1a" },
		{ 50, "other", "0x32" },
	};

	for (unsigned i = 0; i < sizeof(irqs) / sizeof(irqs[0]); i++)
		for (unsigned traced = 0; traced < 2; traced++) {
			setup(state);
			account();
			guest_set_enabled(GUEST_TIMER, true);
			guest_set_enabled(FAKE_SPI_FIRST, true);
			gic_enable(irqs[i].intid);
			interrupt_by(irqs[i].intid);
			if (traced)
				trap_irq_traced(vcpu);
			else
				trap_irq_counted(vcpu);
			if (traced)
				assert_traced(irqs[i].kind, irqs[i].arg);
			else
				assert_counted(irqs[i].kind);
		}
}

/* lrs=all: what the list registers hold goes to memory, and the exit is handled as ever. */
static void every_list_register_is_read(void **state)
{
	(void)state;
	memset(&vcpu->gic, 0xff, sizeof(vcpu->gic));
	guest_set_enabled(GUEST_TIMER, true);
	interrupt_by(GUEST_TIMER);
	trap_irq_all_lrs(vcpu);
	for (unsigned i = 0; i < vcpu->vgic.lr_count; i++)
		assert_int_equal(vcpu->gic.lr[i], 0);
	vcpu->frame.x[0] = HC_ID(NULL);
	trap_hvc_all_lrs(vcpu);
	for (unsigned i = 0; i < vcpu->vgic.lr_count; i++)
		assert_int_equal(vcpu->gic.lr[i], gic_lr_read(i));
	assert_int_not_equal(vcpu->gic.lr[vcpu->vgic.virq[GUEST_TIMER].fast_lr], 0);
	memset(&vcpu->gic, 0, sizeof(vcpu->gic));
	fake_esr_el2 = LDR_W3;
	trap_sync_all_lrs(vcpu);
	assert_int_equal(device.reads, 1);
	for (unsigned i = 0; i < vcpu->vgic.lr_count; i++)
		assert_int_equal(vcpu->gic.lr[i], gic_lr_read(i));
}

/* --- HC_MEASURE --- */

/* A hypercall as the vectors have it that were chosen last. */
static reg_t measured_call(reg_t id, reg_t argument)
{
	vcpu->frame.x[0] = id;
	vcpu->frame.x[1] = argument;
	begin(0);
	trap_hvc(vcpu);
	if (fake_hyp.vectors == 0 || fake_hyp.vectors_count)
		trap_count_hvc(vcpu->exit_start);
	return vcpu->frame.x[0];
}

static void only_what_lies_between_begin_and_end_is_counted(void **state)
{
	(void)state;
	account();
	measured_call(HC_ID(NULL), 0);
	assert_int_equal(measured_call(HC_ID(MEASURE), 1), HC_OK);
	for (unsigned i = 0; i < 3; i++)
		measured_call(HC_ID(NULL), 0);
	assert_int_equal(measured_call(HC_ID(MEASURE), 0), HC_OK);
	assert_false(fake_hyp.vectors_count || fake_hyp.vectors_trace);
	measured_call(HC_ID(NULL), 0);
	assert_true(console_has("\"exit\":\"hvc\",\"n\":3,"));
}

static void counting_begins_anew_as_often_as_it_is_asked(void **state)
{
	(void)state;
	account();
	measured_call(HC_ID(MEASURE), 0);
	assert_true(console_is_empty());
	for (unsigned i = 0; i < 2; i++) {
		measured_call(HC_ID(MEASURE), 1);
		assert_true(fake_hyp.vectors_count && fake_hyp.vectors_trace);
		measured_call(HC_ID(NULL), 0);
		measured_call(HC_ID(NULL), 0);
	}
	assert_true(console_has("\"exit\":\"hvc\",\"n\":2,"));
	measured_call(HC_ID(MEASURE), 1);
	assert_true(console_is_empty());
}

static void a_traced_measure_call_leaves_no_event(void **state)
{
	(void)state;
	account();
	for (reg_t on = 0; on < 2; on++) {
		vcpu->frame.x[0] = HC_ID(MEASURE);
		vcpu->frame.x[1] = on;
		begin(0);
		trap_hvc_traced(vcpu);
	}
	assert_true(console_is_empty());
}

static void another_argument_is_refused_and_counted(void **state)
{
	(void)state;
	account();
	assert_int_equal(measured_call(HC_ID(MEASURE), 2), (reg_t)HC_EINVAL);
	assert_int_equal(measured_call(HC_ID(MEASURE), 1ull << 32), (reg_t)HC_EINVAL);
	assert_int_equal(fake_hyp.vectors, 0);
	assert_true(console_has("\"exit\":\"hvc\",\"n\":2,"));
}

/* --- probes --- */

static struct probe_stamps stamps;

static void probe(void)
{
	stamps = (struct probe_stamps){ 0 };
	write_tpidr_el2((reg_t)&stamps);
}

static void a_guests_interrupt_is_stamped_on_its_way(void **state)
{
	uint64_t entry;

	(void)state;
	probe();
	guest_set_enabled(GUEST_TIMER, true);
	fake_gic_line(GUEST_TIMER, true);
	entry = read_cntpct_el0();
	assert_ptr_equal(trap_irq_probed(vcpu, entry), vcpu);
	assert_int_equal(stamps.el2_vector, entry);
	assert_int_equal(stamps.acknowledged, entry + 1);
	assert_int_equal(stamps.injected, entry + 2);
	assert_true(fake_gic_virq());
}

static void the_hypervisors_own_interrupts_leave_the_stamps_alone(void **state)
{
	const unsigned own[] = { FAKE_GIC_MAINTENANCE, 50, FAKE_HYP_TIMER };

	(void)state;
	probe();
	for (unsigned i = 0; i < 3; i++) {
		gic_enable(own[i]);
		interrupt_by(own[i]);
		assert_ptr_equal(trap_irq_probed(vcpu, 1),
				 own[i] == FAKE_HYP_TIMER ? NULL : TRAP_UNSTAMPED);
	}
	assert_int_equal(stamps.el2_vector | stamps.acknowledged | stamps.injected, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_load_puts_the_devices_answer_into_its_register),
		TEST(a_signed_load_fills_the_register),
		TEST(a_store_hands_over_its_register),
		TEST(a_store_of_a_byte_says_its_size),
		TEST(register_31_reads_as_zero_and_takes_nothing),
		TEST(a_device_has_its_first_and_its_last_byte),
		TEST(beside_a_device_the_vm_is_stopped),
		TEST(without_a_syndrome_a_device_cannot_be_emulated),
		TEST(other_faults_at_a_device_stop_the_vm),
		TEST(a_first_touch_of_any_kind_maps_one_leaf),
		TEST(a_fault_that_stays_stops_the_vm),
		TEST(a_fault_that_no_mapping_ends_stops_the_vm),
		TEST(outside_of_its_memory_a_lazy_vm_is_stopped),
		TEST(an_eager_vm_is_stopped_in_its_memory_too),
		TEST(without_a_page_for_a_table_the_vm_is_stopped),
		TEST(a_device_comes_before_memory),
		TEST(a_guest_asks_what_its_start_cost),
		TEST(its_costs_stop_at_the_largest_value),
		TEST(a_guest_unmaps_what_it_touched),
		TEST(a_guest_unmaps_nothing_else),
		TEST(a_hypercall_reaches_its_function),
		TEST(cold_takes_a_state_and_nothing_else),
		TEST(an_unknown_hypercall_says_so),
		TEST(a_guest_ends_its_step),
		TEST(a_guests_record_comes_from_its_buffer),
		TEST(a_guests_record_that_is_none_is_refused),
		TEST(an_smc_is_answered_and_counted),
		TEST(wfi_waits),
		TEST(wfi_with_an_interrupt_pending_does_not_wait),
		TEST(wfe_and_a_wfi_whose_condition_fails_do_not_wait),
		TEST(a_known_register_is_emulated),
		TEST(an_unknown_register_stops_the_vm),
		TEST(a_fetch_from_nowhere_stops_the_vm),
		TEST(every_other_class_stops_the_vm),
		TEST(an_serror_stops_the_vm),
		TEST(the_hypervisors_timer_stops_the_vm),
		TEST(an_interrupt_that_went_away_is_not_ended),
		TEST(nobodys_interrupt_comes_once),
		TEST(every_exit_is_accounted_for_by_its_kind),
		TEST(a_first_touch_is_accounted_for_as_one),
		TEST(every_interrupt_is_accounted_for_by_its_kind),
		TEST(every_list_register_is_read),
		TEST(only_what_lies_between_begin_and_end_is_counted),
		TEST(counting_begins_anew_as_often_as_it_is_asked),
		TEST(a_traced_measure_call_leaves_no_event),
		TEST(another_argument_is_refused_and_counted),
		TEST(a_guests_interrupt_is_stamped_on_its_way),
		TEST(the_hypervisors_own_interrupts_leave_the_stamps_alone),
	};

	return cmocka_run_group_tests_name("trap", tests, NULL, NULL);
}
