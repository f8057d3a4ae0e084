/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/vgic_guest.h"

#include "abi/hypercall.h"
#include "drivers/gic/gic_regs.h"
#include "hyp/cpu/smp.h"
#include "hyp/sched/sched.h"
#include "hyp/trap/hypercall.h"
#include "hyp/trap/trap.h"
#include "hyp/vcpu/vppi.h"
#include "hyp/vm/vgicd.h"
#include "hyp/vm/vm.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

#define LR_COUNT 4u
/* Maximum number of exits that one action of the guest may cause, pieces of a write included. More
 * exits are an interrupt storm. */
#define EXITS_MAX (8u + VIRQ_COUNT / PIECE_VIRQS)

struct vcpu guest_vcpu;
static const struct vm_machine machine = { .raise_first = FAKE_SPI_FIRST,
					   .raise_count = FAKE_SPI_COUNT };
static const struct vm_type bench;
static const struct vm_type unmodified = { .injects = true, .ends_itself = true };
static struct vm *const vm = &vms[0];
static unsigned exits;

/* The hypervisor takes all signalled interrupts before the guest goes on. */
static void guest_settle(void)
{
	for (unsigned i = 0; fake_gic_irq(); i++) {
		if (i == EXITS_MAX) {
			fake_gic_broken("the hypervisor is interrupted for ever");
			return;
		}
		assert_ptr_equal(trap_irq(&guest_vcpu), &guest_vcpu);
		exits++;
	}
	if (fake_gic.cpu.active_prio[0] | fake_gic.cpu.active_prio[1])
		fake_gic_broken("the guest runs at a raised physical priority");
}

/* Load another vCPU, whose virtual CPU interface is off and masks everything. */
void guest_leave(void)
{
	static const struct gic_virt_state other;

	if (!gic_virt_switch(&guest_vcpu.gic, &other))
		gic_virt_switch_lrs(&guest_vcpu.gic, &other);
}

void guest_return(void)
{
	gic_virt_restore(&guest_vcpu.gic);
	vgic_refill(&guest_vcpu.vgic);
}

/* Reset the GIC as vm.c does before a guest starts. */
static void reset_gic(bool link_hw)
{
	gic_set_bases(&fake_gic_bases);
	assert_int_equal(gic_virt_init(), LR_COUNT);
	vppi_put();
	guest_vcpu.active_ppis = 0;
	gic_cpu_abandon();
	gic_dist_reset();
	gic_cpu_init(true);
	vgic_reset(&guest_vcpu.vgic, LR_COUNT, link_hw);
	vgicd_init(&vm->dist, vm->vcpu, vm->vcpu_count);
	vgicd_reset(&vm->dist);
	gic_virt_reset();
	assert_true(vgic_forward(&guest_vcpu.vgic, GUEST_TIMER));
	for (unsigned i = 0; i < FAKE_SPI_COUNT; i++)
		assert_true(vgic_forward(&guest_vcpu.vgic, FAKE_SPI_FIRST + i));
	vppi_load(&guest_vcpu);
	gic_set_priority(FAKE_GIC_MAINTENANCE, 0);
	gic_enable(FAKE_GIC_MAINTENANCE);
	gic_set_priority(SMP_KICK_SGI, 0);
	gic_enable(SMP_KICK_SGI);
	gic_set_priority(SMP_CONTINUE_SGI, 0xe0);
	gic_enable(SMP_CONTINUE_SGI);
}

void guest_is_unmodified(bool is)
{
	vm->type = is ? &unmodified : &bench;
	guest_vcpu.traps = is ? traps_unmodified : traps_bench;
	guest_vcpu.hypercalls = is ? hypercalls_unmodified : hypercalls_bench;
}

static void have_the_core(void)
{
	static const struct run_config alone;

	sched_reset(&alone);
	sched_add(&guest_vcpu);
	assert_ptr_equal(sched_begin(), &guest_vcpu);
}

void guest_boot(bool link_hw)
{
	fake_hyp_reset();
	fake_gic_reset(LR_COUNT);
	vm->machine = &machine;
	vm->vcpu_count = 1;
	vm->vcpu[0] = &guest_vcpu;
	guest_vcpu.vm = vm;
	guest_vcpu.core = bit_lowest(fake_gic.this_core);
	smp_set_core(guest_vcpu.core);
	smp_process_calls(); /* left over from the last test */
	vm->outcome = VM_RUNNING;
	guest_is_unmodified(false);
	reset_gic(link_hw);
	have_the_core();
	fake_gic_guest_init(false);
	guest_set_dist_enabled(true);
	exits = 0;
}

unsigned guest_exits(void)
{
	return exits;
}

static void guest_write(uint32_t offset, unsigned size, uint64_t value)
{
	if (size != 4 || !vgicd_write_at_once(&guest_vcpu, offset, (uint32_t)value))
		vgicd_write(&guest_vcpu, offset, size, value, NULL);
	guest_settle();
}

static void guest_write_bit(uint32_t bank, unsigned intid)
{
	guest_write(bank + intid / 32 * 4, 4, 1u << intid % 32);
}

void guest_set_enabled(unsigned intid, bool enabled)
{
	guest_write_bit(enabled ? GICD_ISENABLER : GICD_ICENABLER, intid);
}

void guest_set_dist_enabled(bool enabled)
{
	guest_write(GICD_CTLR, 4, enabled ? 3 : 0); /* both groups */
}

void guest_send_sgi(unsigned id)
{
	guest_write(GICD_SGIR, 4, 2u << 24 | id);
}

long guest_raise(uint64_t intid)
{
	guest_vcpu.frame.x[0] = HC_ID(RAISE);
	guest_vcpu.frame.x[1] = intid;
	assert_ptr_equal(trap_hvc(&guest_vcpu, (uint32_t)guest_vcpu.frame.x[0]), &guest_vcpu);
	guest_settle();
	return (long)guest_vcpu.frame.x[0];
}

uint32_t guest_ack(void)
{
	uint32_t iar = fake_gic_guest_ack();

	guest_settle();
	return iar;
}

void guest_eoi(uint32_t iar)
{
	fake_gic_guest_eoi(iar);
	guest_settle();
}

void guest_timer(bool high)
{
	fake_gic_line(GUEST_TIMER, high);
	guest_settle();
}

void guest_enable(unsigned intid, uint8_t priority)
{
	guest_write(GICD_IPRIORITYR + intid, 1, priority);
	guest_set_enabled(intid, true);
}

void guest_pend(unsigned intid)
{
	guest_write_bit(GICD_ISPENDR, intid);
}

void guest_enable_and_pend(unsigned intid, uint8_t priority)
{
	guest_enable(intid, priority);
	guest_pend(intid);
}

void guest_assert_takes(uint32_t iar)
{
	assert_int_equal(guest_ack(), iar);
	guest_eoi(iar);
}

void guest_assert_takes_nothing(void)
{
	assert_int_equal(guest_ack(), GIC_SPURIOUS);
}

void guest_check_rules(void)
{
	const char *violation = fake_gic_violation();

	if (!violation && fake_gic_maintenance())
		violation = "the maintenance line stays high";
	if (violation)
		fail_msg("%s", violation);
}
