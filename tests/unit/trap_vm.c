/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "abi/hypercall.h"
#include "hyp/sched/sched.h"
#include "hyp/trap/trap.h"
#include "hyp/vm/vm.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/trap_vm.h"
#include "tests/unit/unit.h"

static const struct run_config config_on = { .stats = 1, .trace = 1 };
static struct run_config guest_config; /* config_on, or a stage 2 that is filled lazily */
static struct page_pool pool;

struct trap_device device;

static void note_access(struct vcpu *asking, uint32_t offset, unsigned size, void *state)
{
	assert_ptr_equal(state, &device);
	assert_ptr_equal(asking, vcpu);
	device.offset = offset;
	device.size = size;
}

static reg_t device_read(struct vcpu *asking, uint32_t offset, unsigned size, void *state)
{
	note_access(asking, offset, size, state);
	device.reads++;
	return device.value;
}

static void device_write(struct vcpu *asking, uint32_t offset, unsigned size, reg_t value,
			 void *state)
{
	note_access(asking, offset, size, state);
	device.writes++;
	device.value = value;
}

void trap_setup(void)
{
	guest_boot(true);
	memset(&device, 0, sizeof(device));
	memset(&vcpu->frame, 0, sizeof(vcpu->frame));
	vcpu->vm->name = "mine";
	vcpu->vm->outcome = VM_RUNNING;
	vcpu->vm->smc_count = 0;
	vcpu->vm->region_count = 1;
	vcpu->vm->region[0] = (struct mmio_region){ DEVICE,       DEVICE_SIZE, .read = device_read,
						    device_write, &device,     "device" };
	vcpu->devices = vcpu->vm->region;
	vcpu->gicd_size = 0;
	fake_hyp.fault_ipa = DEVICE + 0x10;
	guest_config = config_on;
	vcpu->vm->config = &guest_config;
	vcpu->vm->stage2.table.pool = &pool;
	memset(&vcpu->vm->lazy, 0, sizeof(vcpu->vm->lazy));
	sched_reset(&guest_config);
	sched_add(vcpu);
	sched_begin();
}

struct guest_ram lazy_ram;

void be_lazy(enum stage2_grain grain, unsigned pool_pages)
{
	struct stage2 *stage2 = &vcpu->vm->stage2;
	pte_t *root = fake_pages(1);

	pool = (struct page_pool){ .base = fake_pages(pool_pages), .count = pool_pages };
	guest_config = (struct run_config){ .stage2 = grain, .fill = FILL_LAZY };
	fake_tlb_watch(root, STAGE2_INPUT_GIB);
	stage2_reset(stage2, 1, grain, &pool, root);
	lazy_ram = ram_plain(RAM, RAM, RAM_SIZE);
	stage2_lazy_begin(&vcpu->vm->lazy, stage2, &lazy_ram, 7);
	fake_hyp.fault_ipa = RAM + 0x5010;
}

struct vcpu *take(uint32_t esr)
{
	fake_esr_el2 = esr;
	return trap_sync(vcpu);
}

reg_t call(reg_t id, reg_t first, reg_t second)
{
	vcpu->frame.x[0] = id;
	vcpu->frame.x[1] = first;
	vcpu->frame.x[2] = second;
	assert_ptr_equal(trap_hvc(vcpu, (uint32_t)id), vcpu);
	return vcpu->frame.x[0];
}

void exit_with(reg_t reason)
{
	vcpu->frame.x[0] = HC_ID(EXIT);
	vcpu->frame.x[1] = reason;
	assert_null(trap_hvc(vcpu, HC_ID(EXIT)));
}

void assert_skips(uint32_t esr)
{
	unsigned before = fake_hyp.skipped;

	assert_ptr_equal(take(esr), vcpu);
	assert_int_equal(fake_hyp.skipped, before + 1);
	assert_int_equal(fake_hyp.faults, 0);
}

void assert_stops(uint32_t esr, enum fault_reason reason)
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
