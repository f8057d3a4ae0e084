/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of hypercalls at their bounds: the last value that is taken, and the first beyond. */
/* LINK: exit-path drivers/gic/gicv2.c */
#include <string.h>

#include "abi/guest_run.h"
#include "abi/hypercall.h"
#include "abi/record.h"
#include "hyp/trap/hypercall.h"
#include "hyp/trap/trap.h"
#include "hyp/vm/vm.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

#define RAM_PAGES ((GUEST_RECORD_OFFSET + GUEST_RECORD_SIZE) / PAGE_SIZE + 1u)

static struct run_config config;
static struct vcpu vcpu;
static struct vm vm;
static struct vm_machine machine;
static char *ram;

static void setup(void)
{
	fake_hyp_reset();
	ram = fake_pages(RAM_PAGES);
	machine = (struct vm_machine){ .ram = ram_plain((uintptr_t)ram, (uintptr_t)ram,
							RAM_PAGES * PAGE_SIZE) };
	vm = (struct vm){
		.name = "mine", .config = &config, .machine = &machine, .outcome = VM_RUNNING
	};
	vcpu = (struct vcpu){ .vm = &vm, .hypercalls = hypercalls_bench };
}

static struct vcpu *call(reg_t id, reg_t first, reg_t second)
{
	vcpu.frame.x[0] = id;
	vcpu.frame.x[1] = first;
	vcpu.frame.x[2] = second;
	return trap_hvc(&vcpu, (uint32_t)id);
}

/* Everything up to the byte after the buffer is text. */
EACH_TEST(setup, NULL);

TEST(a_record_that_leaves_its_buffer_is_refused)
{
	memset(ram, 'x', RAM_PAGES * PAGE_SIZE);
	ram[GUEST_RECORD_OFFSET] = '"';
	assert_ptr_equal(call(HC_ID(RECORD), RECORD_CHECK, GUEST_RECORD_SIZE + 1), &vcpu);
	assert_int_equal(vcpu.frame.x[0], (reg_t)HC_EINVAL);
	assert_string_equal(fake_hyp.console, "");
}

static void assert_is_a_bad_exit(reg_t reason)
{
	vm.outcome = VM_RUNNING;
	fake_hyp.faults = 0;
	assert_null(call(HC_ID(EXIT), reason, 0));
	assert_int_equal(fake_hyp.faults, 1);
	assert_int_equal(fake_hyp.reason, FAULT_BAD_EXIT);
}

TEST(an_exit_without_a_meaning_is_a_fault)
{
	assert_is_a_bad_exit(GUEST_EXIT_CRASHED + 1);
	assert_is_a_bad_exit(1ull << 32);
	assert_is_a_bad_exit(UINT64_MAX);
}

TEST(the_first_vcpu_alone_has_the_heartbeat)
{
	vcpu.index = 1;
	assert_ptr_equal(call(HC_ID(HEARTBEAT), 1000, 0), &vcpu);
	assert_int_equal(vcpu.frame.x[0], (reg_t)HC_EINVAL);
	assert_false(timer_is_queued(&vm.heartbeat));
	vcpu.index = 0;
	call(HC_ID(HEARTBEAT), 1000, 0);
	assert_int_equal(vcpu.frame.x[0], HC_OK);
	assert_true(timer_is_queued(&vm.heartbeat));
	vcpu.index = 1;
	call(HC_ID(HEARTBEAT), 0, 0);
	assert_true(timer_is_queued(&vm.heartbeat));
	timerq_stop(&vm.heartbeat);
}
