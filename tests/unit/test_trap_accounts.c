/* SPDX-License-Identifier: Apache-2.0 */
/* Exits that are counted, traced or stamped, or read every list register, and what covers them. */
/* LINK: exit-path tests/unit/trap_vm.c drivers/gic/gicv2.c */
#include <stdio.h>
#include <string.h>

#include "abi/hypercall.h"
#include "abi/probe.h"
#include "abi/record.h"
#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "hyp/sched/sched.h"
#include "hyp/trap/exit_stats.h"
#include "hyp/trap/trap.h"
#include "hyp/trap/trap_account.h"
#include "hyp/vm/vm.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/trap_vm.h"
#include "tests/unit/unit.h"

/* --- accounted for --- */

static void account(void)
{
	exit_stats_reset(&config_on);
	exit_stats_attach(vcpu);
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

/* One exit of this kind is counted. */
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
		trap_count_sync(vcpu);
	else
		assert_ptr_equal(trap_count_leaving(next, vcpu), next);
}

static void trace_sync(uint32_t esr)
{
	begin(esr);
	trap_sync_traced(vcpu);
}

#define MSR_ACTLR_X12 0x62320580u

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

EACH_TEST(trap_setup, NULL);

TEST(every_exit_is_accounted_for_by_its_kind)
{
	account();
	for (unsigned i = 0; i < sizeof(sync_exits) / sizeof(sync_exits[0]); i++) {
		count_sync(sync_exits[i].esr);
		assert_counted(sync_exits[i].kind);
		trace_sync(sync_exits[i].esr);
		assert_traced(sync_exits[i].kind, sync_exits[i].arg);
	}
	begin(0);
	trap_count_hvc(vcpu);
	assert_counted("hvc");
	vcpu->frame.x[0] = HC_ID(NULL);
	begin(0);
	trap_hvc_traced(vcpu, (uint32_t)vcpu->frame.x[0]);
	assert_traced("hvc", "0x86000000");
}

/* A store's without its bits 7 to 0. What else traps has none. */
TEST(the_trace_has_the_value_of_a_store_and_of_an_msr)
{
	static const struct {
		uint32_t esr;
		const char *kind, *arg;
	} exits[] = {
		{ STR_W12, "mmio-write", "0x8765430009000010" },
		{ LDR_W3, "mmio-read", "0x9000010" },
		{ MSR_ACTLR_X12, "sysreg", "0x8765432162320580" },
		{ 0x07e00000, "wfi", "0x7e00000" },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(exits); i++) {
		trap_setup();
		account();
		frame_write(&vcpu->frame, 12, 0x87654321);
		trace_sync(exits[i].esr);
		assert_traced(exits[i].kind, exits[i].arg);
	}
}

static void interrupt_by(unsigned intid)
{
	if (intid == FAKE_GIC_MAINTENANCE)
		gic_set_pending(intid);
	else
		fake_gic_line(intid, true);
	begin(0);
}

TEST(a_first_touch_is_accounted_for_as_one)
{
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

TEST(every_interrupt_is_accounted_for_by_its_kind)
{
	static const struct {
		unsigned intid;
		const char *kind, *arg;
	} irqs[] = {
		{ GUEST_TIMER, "irq", "0x50000001b" },
		{ FAKE_SPI_FIRST, "irq", "0x60" },
		{ FAKE_GIC_MAINTENANCE, "maintenance", "0x19" },
		{ FAKE_HYP_TIMER, "hyp-timer", "0x90000001a" },
		{ 50, "other", "0x32" },
	};

	for (unsigned i = 0; i < sizeof(irqs) / sizeof(irqs[0]); i++)
		for (unsigned traced = 0; traced < 2; traced++) {
			trap_setup();
			account();
			guest_set_enabled(GUEST_TIMER, true);
			guest_set_enabled(FAKE_SPI_FIRST, true);
			gic_enable(irqs[i].intid);
			interrupt_by(irqs[i].intid);
			fake_cntvoff_el2 = 3;
			fake_cntv_cval_el0 = vcpu->exit_start - 8;
			fake_cnthp_cval_el2 = vcpu->exit_start - 9;
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

/* The trace has 32 bits for it: with all of them set the timer fired then or before. */
TEST(a_timer_that_fired_long_ago_is_late_by_the_most)
{
	static const uint64_t late[] = { UINT32_MAX - 1, UINT32_MAX, 1ull << 32, 1ull << 63 };

	for (unsigned i = 0; i < ARRAY_SIZE(late); i++) {
		trap_setup();
		account();
		guest_set_enabled(GUEST_TIMER, true);
		interrupt_by(GUEST_TIMER);
		fake_cntvoff_el2 = 0;
		fake_cntv_cval_el0 = vcpu->exit_start - late[i];
		trap_irq_traced(vcpu);
		assert_traced("irq", i ? "0xffffffff0000001b" : "0xfffffffe0000001b");
	}
}

/* lr_sync=full: what the list registers hold goes to memory, and the exit is handled as ever. */
TEST(every_list_register_is_read)
{
	memset(&vcpu->gic, 0xff, sizeof(vcpu->gic));
	guest_set_enabled(GUEST_TIMER, true);
	interrupt_by(GUEST_TIMER);
	trap_irq_all_lrs(vcpu);
	for (unsigned i = 0; i < vcpu->vgic.lr_count; i++)
		assert_int_equal(vcpu->gic.lr[i], 0);
	vcpu->frame.x[0] = HC_ID(NULL);
	trap_hvc_all_lrs(vcpu, (uint32_t)vcpu->frame.x[0]);
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
	trap_hvc(vcpu, (uint32_t)vcpu->frame.x[0]);
	if (fake_hyp.vectors == 0 || fake_hyp.vectors_count)
		trap_count_hvc(vcpu);
	return vcpu->frame.x[0];
}

TEST(only_what_lies_between_begin_and_end_is_counted)
{
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

TEST(a_traced_measure_call_leaves_no_event)
{
	account();
	for (reg_t on = 0; on < 2; on++) {
		vcpu->frame.x[0] = HC_ID(MEASURE);
		vcpu->frame.x[1] = on;
		begin(0);
		trap_hvc_traced(vcpu, (uint32_t)vcpu->frame.x[0]);
	}
	assert_true(console_is_empty());
}

TEST(another_argument_is_refused_and_counted)
{
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

TEST(a_guests_interrupt_is_stamped_on_its_way)
{
	uint64_t entry;

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

TEST(the_hypervisors_own_interrupts_leave_the_stamps_alone)
{
	const unsigned own[] = { FAKE_GIC_MAINTENANCE, 50, FAKE_HYP_TIMER };

	probe();
	for (unsigned i = 0; i < 3; i++) {
		if (own[i] == FAKE_HYP_TIMER) /* a timer that ends the run */
			sched_leave();
		gic_enable(own[i]);
		interrupt_by(own[i]);
		assert_ptr_equal(trap_irq_probed(vcpu, 1),
				 own[i] == FAKE_HYP_TIMER ? NULL : TRAP_UNSTAMPED);
	}
	assert_int_equal(stamps.el2_vector | stamps.acknowledged | stamps.injected, 0);
}
