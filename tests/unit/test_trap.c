/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the way from a syndrome to its handler, and of the handler's effects. */
/* LINK: exit-path tests/unit/trap_vm.c drivers/gic/gicv2.c */
#include <string.h>

#include "abi/guest_run.h"
#include "abi/hypercall.h"
#include "abi/probe.h"
#include "abi/record.h"
#include "arch/sysreg.h"
#include "boards/board.h"
#include "hyp/cpu/smp.h"
#include "hyp/dev/virtio_net.h"
#include "hyp/sched/sched.h"
#include "hyp/trap/trap.h"
#include "hyp/vm/vm.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/trap_vm.h"
#include "tests/unit/unit.h"

EACH_TEST(trap_setup, NULL);

/* --- emulated devices --- */

TEST(a_load_puts_the_devices_answer_into_its_register)
{
	device.value = 0xfffffff812345678;
	vcpu->frame.x[3] = UINT64_MAX;
	assert_skips(LDR_W3);
	assert_int_equal(device.reads, 1);
	assert_int_equal(device.offset, 0x10);
	assert_int_equal(device.size, 4);
	assert_int_equal(vcpu->frame.x[3], 0x12345678);
}

TEST(a_store_hands_over_its_register)
{
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

/* Make the first device the VM's distributor, or with size 0 a usual device. */
static void be_distributor(uint32_t size)
{
	vcpu->gicd_base = DEVICE;
	vcpu->gicd_size = size;
	vcpu->devices = &vcpu->vm->region[size ? 1 : 0];
}

TEST(only_a_zero_extended_word_of_the_distributor_takes_the_short_path)
{
	be_distributor(DEVICE_SIZE);
	fake_hyp.fault_ipa = DEVICE + GICD_IIDR;
	device.value = 0x55;
	vcpu->frame.x[3] = UINT64_MAX;
	assert_skips(LDR_W3);
	assert_int_equal(vcpu->frame.x[3], 0x43b);
	assert_int_equal(device.reads, 0);
	assert_skips(0x93010005); /* ldrb w1, [x0] */
	assert_int_equal(vcpu->frame.x[1], 0x55);
	assert_skips(0x93a38005); /* ldrsw x3, [x0] */
	assert_int_equal(vcpu->frame.x[3], 0x55);
	assert_int_equal(device.reads, 2);
	be_distributor(0);
	assert_skips(LDR_W3);
	assert_int_equal(vcpu->frame.x[3], 0x55);
}

TEST(an_sgi_to_itself_is_pending_after_the_store)
{
	be_distributor(DEVICE_SIZE);
	fake_hyp.fault_ipa = DEVICE + GICD_SGIR;
	vcpu->frame.x[12] = 2u << 24 | 5;
	assert_false(vgic_is_pending(&vcpu->vgic, &vcpu->vgic.virq[5]));
	assert_skips(STR_W12);
	assert_true(vgic_is_pending(&vcpu->vgic, &vcpu->vgic.virq[5]));
	assert_int_equal(device.writes, 0);
}

TEST(register_31_reads_as_zero_and_takes_nothing)
{
	struct trap_frame before;

	memset(&vcpu->frame, 0xaa, sizeof(vcpu->frame));
	vcpu->frame.x[31] = 0;
	before = vcpu->frame;
	device.value = 0x55;
	assert_skips(0x939f0005); /* ldr wzr, [x0] */
	assert_memory_equal(&vcpu->frame, &before, sizeof(before));
	assert_skips(0x93df8045); /* str xzr, [x0] */
	assert_int_equal(device.writes, 1);
	assert_int_equal(device.value, 0);
}

TEST(a_device_has_its_first_and_its_last_byte)
{
	fake_hyp.fault_ipa = DEVICE;
	assert_skips(LDR_W3);
	assert_int_equal(device.offset, 0);
	fake_hyp.fault_ipa = DEVICE + DEVICE_SIZE - 1;
	assert_skips(0x93010005); /* ldrb w1, [x0] */
	assert_int_equal(device.offset, DEVICE_SIZE - 1);
	fake_hyp.skipped = 0;
	fake_hyp.fault_ipa = DEVICE - 1;
	assert_stops(LDR_W3, FAULT_DATA_ABORT);
	fake_hyp.fault_ipa = DEVICE + DEVICE_SIZE;
	assert_stops(STR_W12, FAULT_DATA_ABORT);
	assert_int_equal(device.reads, 2);
	assert_int_equal(device.writes, 0);
}

TEST(without_a_syndrome_a_device_cannot_be_emulated)
{
	assert_stops(0x92000005, FAULT_MMIO_SYNDROME); /* ldp w1, w2, [x0] */
	assert_stops(0x92000145, FAULT_MMIO_SYNDROME); /* cache maintenance */
	assert_stops(0x92000085, FAULT_MMIO_SYNDROME); /* a stage-1 walk */
	assert_stops(0x93830105, FAULT_MMIO_SYNDROME); /* both with ISV, which should not occur */
	assert_stops(0x93830085, FAULT_MMIO_SYNDROME);
	assert_int_equal(device.reads + device.writes, 0);
}

TEST(other_faults_at_a_device_stop_the_vm)
{
	for (uint32_t fsc = 0; fsc < 64; fsc++)
		if (fsc < 4 || fsc > 7)                            /* translation */
			assert_stops(0x93810000 | fsc, fsc == 0x11 /* asynchronous */
							       ? FAULT_SERROR
							       : FAULT_DATA_ABORT);
	assert_int_equal(device.reads + device.writes, 0);
}

/* This is for an unmodified guest. QEMU has no caches, so no image meets this case. */
TEST(cache_maintenance_of_a_device_or_of_nothing_does_nothing)
{
	guest_is_unmodified(true);
	assert_skips(DABT_DC);
	fake_hyp.fault_ipa = DEVICE + DEVICE_SIZE;
	assert_skips(DABT_DC);
	assert_ptr_equal(take(DABT_DC | 1u << 7), vcpu); /* a stage-1 walk */
	assert_int_equal(fake_hyp.aborts, 1);
	guest_is_unmodified(false);
	fake_hyp.fault_ipa = DEVICE;
	assert_null(take(DABT_DC));
	assert_int_equal(device.reads + device.writes, 0);
}

/* --- the other classes --- */

TEST(a_hypercall_reaches_its_function)
{
	vcpu->frame.x[0] = HC_ID(NULL);
	assert_ptr_equal(take(0x5a000000), vcpu); /* hvc #0: ELR is after the instruction */
	assert_int_equal(vcpu->frame.x[0], HC_OK);
	vcpu->frame.x[0] = HC_ID(NULL);
	assert_ptr_equal(take(0x4a000000), vcpu); /* hvc #0 (Cortex-A15) */
	assert_int_equal(vcpu->frame.x[0], HC_OK);
	assert_int_equal(call(HC_ID(NULL), 0, 0), HC_OK);
	assert_int_equal(call(HC_ID(NULL) | 1ull << 32, 0, 0), HC_OK);
	assert_int_equal(fake_hyp.skipped, 0);
}

/* A paused standby would wait for an interrupt that has already come. The fake VM has no partner,
 * so the call returns HC_EINVAL. */
TEST(a_standby_whose_interrupt_is_pending_is_not_paused)
{
	struct vm_machine machine = *vcpu->vm->machine;

	vcpu->vm->machine = &machine;
	machine.takeover_intid = FAKE_SPI_FIRST;
	assert_int_equal(call(HC_ID(FAIL_OVER), 0, 0), (reg_t)HC_EINVAL);
	guest_enable_and_pend(FAKE_SPI_FIRST, 0x40);
	assert_int_equal(call(HC_ID(FAIL_OVER), 0, 0), HC_OK);
	guest_assert_takes(FAKE_SPI_FIRST);
	assert_int_equal(call(HC_ID(FAIL_OVER), 0, 0), (reg_t)HC_EINVAL);
	guest_pend(FAKE_SPI_FIRST);
	machine.takeover_intid = 0;
	assert_int_equal(call(HC_ID(FAIL_OVER), 0, 0), (reg_t)HC_EINVAL);
}

/* The fake vm_fail_over() records the VM and returns false, as if no standby ran. */
TEST(a_control_vm_alone_commands_and_a_vm_that_runs_alone)
{
	struct vm active = { .paused = true };
	struct vm_machine machine = *vcpu->vm->machine;

	vcpu->vm->machine = &machine;
	machine.commands = NULL;
	assert_int_equal(call(HC_ID(SWITCH_OVER), 0, 0), (reg_t)HC_EINVAL);
	machine.commands = &active;
	assert_int_equal(call(HC_ID(SWITCH_OVER), 0, 0), (reg_t)HC_EINVAL);
	assert_null(fake_hyp.failed_over);
	active.paused = false;
	assert_int_equal(call(HC_ID(SWITCH_OVER), 0, 0), (reg_t)HC_EINVAL);
	assert_ptr_equal(fake_hyp.failed_over, &active);
}

TEST(an_unknown_hypercall_says_so)
{
	const reg_t ids[] = { HC_BASE + HC_COUNT, HC_BASE | 0xffffff, HC_BASE - 1,
			      0x84000005,         0xc4000000,         0x80008000,
			      0x88000000,         0xc6000000,         0,
			      UINT64_MAX };

	for (unsigned i = 0; i < ARRAY_SIZE(ids); i++)
		assert_int_equal(call(ids[i], 0, 0), (reg_t)HC_EUNKNOWN);
}

TEST(an_exit_without_a_meaning_is_a_fault)
{
	static const reg_t reasons[] = { GUEST_EXIT_CRASHED + 1, 1ull << 32, UINT64_MAX };

	for (unsigned i = 0; i < ARRAY_SIZE(reasons); i++) {
		vcpu->vm->outcome = VM_RUNNING;
		exit_with(reasons[i]);
		assert_int_equal(fake_hyp.faults, i + 1);
		assert_int_equal(fake_hyp.reason, FAULT_BAD_EXIT);
	}
	exit_with(GUEST_EXIT_CRASHED);
	assert_int_equal(fake_hyp.reason, FAULT_GUEST_CRASH); /* vm.c does the rest */
}

TEST(a_measurement_is_on_or_off)
{
	static const reg_t others[] = { 2, 1ull << 32 };

	for (unsigned i = 0; i < ARRAY_SIZE(others); i++) {
		assert_int_equal(call(HC_ID(MEASURE), others[i], 0), (reg_t)HC_EINVAL);
		assert_int_equal(fake_hyp.vectors, 0);
	}
}

TEST(the_bench_guest_ends_by_no_function_of_psci)
{
	static const reg_t ids[] = { 0x84000008, 0x84000009 }; /* SYSTEM_OFF, SYSTEM_RESET */

	for (unsigned i = 0; i < ARRAY_SIZE(ids); i++) {
		vcpu->frame.x[0] = ids[i];
		assert_null(trap_hvc(vcpu, (uint32_t)ids[i]));
		assert_int_equal(fake_hyp.faults, i + 1);
		assert_int_equal(fake_hyp.reason, FAULT_BAD_EXIT);
	}
}

#define RECORD_PAGES ((GUEST_RECORD_OFFSET + GUEST_RECORD_SIZE) / PAGE_SIZE + 1u)

/* All calls except the last return HC_AGAIN: the guest is to make the call again. */
TEST(a_guests_record_comes_from_its_buffer)
{
	char *ram = fake_pages(RECORD_PAGES);
	struct vm_machine machine = {
		.ram = ram_plain(0x80000000, (uintptr_t)ram, RECORD_PAGES * PAGE_SIZE),
	};
	reg_t result = (reg_t)HC_AGAIN;

	vcpu->vm->machine = &machine;
	strcpy(ram + GUEST_RECORD_OFFSET, "\"ok\":true");
	for (unsigned pieces = 0; result == (reg_t)HC_AGAIN; pieces++) {
		assert_in_range(pieces, 0, 3 * GUEST_RECORD_SIZE / 32);
		vcpu->exit_start = 0;
		result = call(HC_ID(RECORD), RECORD_CHECK, 9);
		assert_int_equal(vcpu->exit_start,
				 result == (reg_t)HC_AGAIN ? EXIT_NOT_COUNTED : 0);
	}
	assert_int_equal(result, HC_OK);
	assert_non_null(
		strstr(fake_hyp.console, "\"vm\":\"mine\",\"vcpu\":0,\"ok\":true,\"crc\":"));
}

TEST(an_smc_is_answered_and_counted)
{
	vcpu->frame.x[0] = 0x84000000; /* PSCI_VERSION */
	assert_skips(0x5e000000);      /* smc #0 */
	assert_int_equal(vcpu->frame.x[0], (reg_t)-1);
	assert_skips(0x4e000000); /* smc #0 (Cortex-A15) */
	assert_int_equal(vcpu->vm->smc_count, 2);
}

TEST(only_a_wfi_with_nothing_pending_waits)
{
	static const struct {
		uint32_t esr;
		bool condition_failed, is_pending;
		unsigned waits;
	} rows[] = {
		{ 0x07e00000, false, false, 1 }, /* wfi */
		{ 0x07e00001, false, false, 0 }, /* wfe */
		{ 0x07000000, true, false, 0 },  /* wfieq */
		{ 0x07e00000, false, true, 0 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		fake_barriers.wfi = 0;
		fake_hyp.condition_failed = rows[i].condition_failed;
		if (rows[i].is_pending)
			guest_send_sgi(1);
		assert_skips(rows[i].esr);
		assert_int_equal(fake_barriers.wfi, rows[i].waits);
	}
}

TEST(a_known_register_is_emulated)
{
	fake_actlr_el1 = 0x42;
	assert_skips(0x62320461); /* mrs x3, actlr_el1 */
	assert_int_equal(vcpu->frame.x[3], 0x42);
	assert_skips(0x62320460); /* msr actlr_el1, x3 */
	assert_int_equal(fake_actlr_el1, 0x42);
}

/* A class without a handler stops the VM, whether or not it has a place in the table. */
TEST(every_other_class_stops_the_vm)
{
	const uint64_t handled = 1ull << 0x01 | 1ull << 0x03 | 1ull << 0x04 | 1ull << 0x12 |
				 1ull << 0x13 | 1ull << 0x16 | 1ull << 0x17 | 1ull << 0x18 |
				 1ull << 0x20 | 1ull << 0x24;

	for (uint32_t class = 0; class < 64; class ++)
		if (!(handled >> class & 1))
			assert_stops(class << 26 | 1u << 25, FAULT_UNHANDLED_TRAP);
}

TEST(an_serror_stops_the_vm)
{
	fake_esr_el2 = 0xbe000000;
	assert_null(trap_serror(vcpu));
	assert_int_equal(fake_hyp.reason, FAULT_SERROR);
}

/* --- interrupts --- */

static struct probe_stamps stamps;

static void stamp(void)
{
	stamps = (struct probe_stamps){ 0 };
	write_tpidr_el2((reg_t)&stamps);
}

TEST(an_spi_of_nobodys_cannot_be_raised)
{
	const unsigned first = FAKE_SPI_FIRST, last = FAKE_SPI_FIRST + FAKE_SPI_COUNT - 1;
	const uint64_t wrong[] = { first - 1,  last + 1,          0, GUEST_TIMER, FAKE_HYP_TIMER,
				   UINT64_MAX, first | 1ull << 32 };

	stamp();
	for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(guest_raise(wrong[i]), HC_EINVAL);
	for (unsigned i = 0; i < FAKE_GIC_INTIDS; i++)
		assert_false(fake_gic.irq[i].pending_latch);
	assert_int_equal(stamps.raised, 0);
}

TEST(a_raise_is_pending_at_the_physical_gic_and_stamped)
{
	uint64_t before;

	stamp();
	before = read_cntpct_el0();
	assert_int_equal(guest_raise(FAKE_SPI_FIRST), HC_OK);
	assert_true(fake_gic.irq[FAKE_SPI_FIRST].pending_latch);
	assert_int_equal(stamps.before_raised, before + 1);
	assert_int_equal(stamps.raised, before + 2);
}

TEST(an_interrupt_that_went_away_is_not_ended)
{
	assert_ptr_equal(trap_irq(vcpu), vcpu);
	assert_null(fake_gic_violation());
}

#define NET_KICK 50u

/* Kick for frames to the VM of `receiver`. Return how often the frames were moved. */
static unsigned kick_device(struct vcpu *receiver)
{
	extern struct vcpu *fake_kicked;
	extern unsigned fake_net_kicks;

	fake_kicked = receiver;
	fake_net_kicks = 0;
	gic_enable(NET_KICK);
	gic_set_pending(NET_KICK);
	assert_ptr_equal(trap_irq(vcpu), vcpu);
	fake_kicked = NULL;
	assert_null(fake_gic_violation());
	return fake_net_kicks;
}

/* The kick stays pending and causes no further exit. A sender pays for its own frames. */
TEST(frames_for_a_less_urgent_vm_wait_until_that_vm_is_loaded)
{
	static struct virtio_net net;
	static struct vm_machine machine = { .net = &net };
	static struct vm other = { .machine = &machine };
	struct vcpu receiver = { .vm = &other, .state = VCPU_STATE_PAUSED, .urgency = 1 };

	vcpu->urgency = 1;
	assert_int_equal(kick_device(&receiver), 1);
	vcpu->urgency = 9;
	assert_int_equal(kick_device(&receiver), 0);
	assert_true(receiver.load_work & VCPU_HOLDS_SPI);
	assert_int_equal(receiver.held_spi, NET_KICK);
	assert_true(gic_is_pending(NET_KICK));
	assert_false(fake_gic_irq());
	gic_clear_pending(NET_KICK);
	receiver.load_work = 0;
	net.sender = vcpu->vm;
	assert_int_equal(kick_device(&receiver), 1);
	net.sender = NULL;
	receiver.state = VCPU_STATE_OFF;
	assert_int_equal(kick_device(&receiver), 1);
	assert_false(receiver.load_work & VCPU_HOLDS_SPI);
}

static void kick(void)
{
	gic_enable(SMP_KICK_SGI);
	fake_gic.irq[SMP_KICK_SGI].pending_latch = true;
	fake_barriers.dsb_sy = 0;
}

static void assert_kick_is_over(void)
{
	assert_false(fake_gic_irq());
	assert_false(gic_is_active(SMP_KICK_SGI));
	assert_null(fake_gic_violation());
}

/* One acknowledge may be for two kicks: EL2 looks at nothing before the acknowledge is complete. */
TEST(a_kick_alone_goes_on)
{
	kick();
	assert_ptr_equal(trap_irq(vcpu), vcpu);
	assert_int_equal(fake_barriers.dsb_sy, 1);
	assert_kick_is_over();
}

/* --- without a vCPU --- */

static unsigned timer_calls;

static void count_call(struct timer *timer)
{
	timer_calls++;
}

TEST(an_idle_core_takes_what_ended_its_wait)
{
	static struct timer timer = { .function = count_call };

	sched_leave();
	timer_calls = 0;
	assert_false(trap_irq_idle()); /* nothing is pending */
	timerq_start(&timer, 1000);
	fake_cntpct_el0 = 1000;
	gic_enable(FAKE_HYP_TIMER);
	fake_gic_line(FAKE_HYP_TIMER, true);
	assert_true(trap_irq_idle());
	fake_gic_line(FAKE_HYP_TIMER, false);
	assert_int_equal(timer_calls, 1);
	kick();
	smp_ask(smp_core());
	trap_irq_idle();
	assert_kick_is_over();
	assert_true(smp_is_asked()); /* the idle loop serves the request */
	smp_process_calls();
	gic_enable(board.maintenance_intid); /* the core's next vCPU needs it */
	gic_set_pending(board.maintenance_intid);
	trap_irq_idle();
	assert_true(fake_gic.irq[board.maintenance_intid].enabled);
	gic_enable(50);
	fake_gic_line(50, true);
	trap_irq_idle();
	assert_false(fake_gic.irq[50].enabled);
	assert_false(gic_is_active(50));
	assert_false(fake_gic_irq());
	assert_null(fake_gic_violation());
}

TEST(an_idle_core_wakes_whose_interrupt_comes)
{
	guest_enable(FAKE_SPI_FIRST, 0x40);
	guest_leave();
	sched_leave();
	vcpu->state = VCPU_STATE_BLOCKED;
	sched_begin();
	vcpu->state = VCPU_STATE_BLOCKED;
	gic_set_pending(FAKE_SPI_FIRST);
	trap_irq_idle();
	assert_int_equal(vcpu->state, VCPU_STATE_READY);
	guest_return();
	guest_assert_takes(FAKE_SPI_FIRST);
	assert_null(fake_gic_violation());
}
