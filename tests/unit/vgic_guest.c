/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/vgic_guest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "abi/hypercall.h"
#include "drivers/gic/gic_regs.h"
#include "hyp/trap.h"
#include "hyp/vdist.h"
#include "hyp/vm.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"

#define EXITS_MAX 8u /* that one act of a guest may cause; more are a storm */

struct vcpu guest_vcpu;
static const struct vm_machine own;
static struct vm vm;
static unsigned exits;

/* The hypervisor takes what is signalled before the guest goes on. */
static void settle(void)
{
	for (unsigned i = 0; fake_gic_irq(); i++) {
		if (i == EXITS_MAX) {
			fake_gic_broken("the hypervisor is interrupted for ever");
			return;
		}
		assert_ptr_equal(trap_irq(&guest_vcpu), &guest_vcpu);
		exits++;
	}
	if (fake_gic.cpu.active_prio)
		fake_gic_broken("the guest runs at a raised physical priority");
}

/* As vm.c does it before a guest starts. */
static void reset_gic(unsigned lr_count, bool link_hw)
{
	gic_set_bases(&fake_gic_bases);
	assert_int_equal(gic_virt_init(), lr_count);
	gic_cpu_abandon();
	gic_dist_reset();
	gic_cpu_init(true);
	vgic_reset(&guest_vcpu.vgic, lr_count, link_hw);
	vdist_reset(&vm);
	gic_virt_reset();
	assert_true(vgic_forward(&guest_vcpu.vgic, GUEST_TIMER));
	for (unsigned i = 0; i < FAKE_SPI_COUNT; i++)
		assert_true(vgic_forward(&guest_vcpu.vgic, FAKE_SPI_FIRST + i));
	gic_set_priority(FAKE_GIC_MAINTENANCE, 0);
	gic_enable(FAKE_GIC_MAINTENANCE);
}

/* What its CPU interface takes. */
static void put_all_in_group1(void)
{
	vdist_gicr_write(&guest_vcpu, GICR_SGI_OFFSET + GICD_IGROUPR, 4, 0xffffffff);
	for (unsigned intid = GIC_PRIVATE_COUNT; intid < VIRQ_COUNT; intid += 32)
		vdist_gicd_write(&guest_vcpu, GICD_IGROUPR + intid / 8, 4, 0xffffffff);
}

void guest_boot(unsigned lr_count, bool link_hw, bool split_eoi)
{
	fake_hyp_reset();
	fake_gic_reset(lr_count);
	vm.machine = &own;
	vm.vcpu_count = 1;
	vm.vcpu[0] = &guest_vcpu;
	guest_vcpu.vm = &vm;
	reset_gic(lr_count, link_hw);
	fake_gic_guest_init(split_eoi);
	if (gic_version() == 3)
		put_all_in_group1();
	guest_set_dist_enabled(true);
	exits = 0;
}

unsigned guest_exits(void)
{
	return exits;
}

static void write_dist(uint32_t offset, unsigned size, uint64_t value, bool private)
{
	if (private && gic_version() == 3)
		vdist_gicr_write(&guest_vcpu, GICR_SGI_OFFSET + offset, size, value);
	else
		vdist_gicd_write(&guest_vcpu, offset, size, value);
	settle();
}

void guest_write_bit(uint32_t bank, unsigned intid)
{
	write_dist(bank + intid / 32 * 4, 4, 1u << intid % 32, intid < GIC_PRIVATE_COUNT);
}

bool guest_read_bit(uint32_t bank, unsigned intid)
{
	uint32_t offset = bank + intid / 32 * 4;
	uint64_t value;

	if (intid < GIC_PRIVATE_COUNT && gic_version() == 3)
		value = vdist_gicr_read(&guest_vcpu, GICR_SGI_OFFSET + offset, 4);
	else
		value = vdist_gicd_read(&guest_vcpu, offset, 4);
	return value >> intid % 32 & 1;
}

void guest_set_enabled(unsigned intid, bool enabled)
{
	guest_write_bit(enabled ? GICD_ISENABLER : GICD_ICENABLER, intid);
}

void guest_set_priority(unsigned intid, uint8_t priority)
{
	write_dist(GICD_IPRIORITYR + intid, 1, priority, intid < GIC_PRIVATE_COUNT);
}

void guest_set_dist_enabled(bool enabled)
{
	write_dist(GICD_CTLR, 4, enabled ? GICD_CTLR_ENABLE_GRP0 | GICD_CTLR_ENABLE_GRP1 : 0,
		   false);
}

void guest_send_sgi(unsigned id, unsigned source)
{
	if (gic_version() == 3) {
		vdist_sgi1r(&guest_vcpu, (uint64_t)id << 24 | 1);
		settle();
	} else if (source == 0) {
		write_dist(GICD_SGIR, 4, 2u << 24 | id, true);
	} else {
		write_dist(GICD_SPENDSGIR + id, 1, 1u << source, true);
	}
}

long guest_raise(uint64_t intid)
{
	guest_vcpu.frame.x[0] = HC_ID(RAISE);
	guest_vcpu.frame.x[1] = intid;
	assert_ptr_equal(trap_hvc(&guest_vcpu), &guest_vcpu);
	settle();
	return (long)guest_vcpu.frame.x[0];
}

uint32_t guest_ack(void)
{
	uint32_t iar = fake_gic_guest_ack();

	settle();
	return iar;
}

void guest_eoi(uint32_t iar)
{
	fake_gic_guest_eoi(iar);
	settle();
}

void guest_deactivate(uint32_t iar)
{
	fake_gic_guest_deactivate(iar);
	settle();
}

void guest_timer(bool high)
{
	fake_gic_line(GUEST_TIMER, high);
	settle();
}

void guest_line(unsigned intid, bool high)
{
	vgic_set_level(&guest_vcpu.vgic, &guest_vcpu.vgic.virq[intid], high);
	settle();
}

void guest_enable(unsigned intid, uint8_t priority)
{
	guest_set_priority(intid, priority);
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

int guest_check_rules(void **state)
{
	const char *violation = fake_gic_violation();

	(void)state;
	if (!violation && fake_gic_maintenance())
		violation = "the maintenance line stays high";
	if (violation)
		print_error("%s\n", violation);
	return violation != NULL;
}
