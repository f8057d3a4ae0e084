/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that uses both groups, more pending and active interrupts than there are list registers,
 * and EOI in two steps. The guest runs with interrupts masked: ISR shows the signals, Group 0 as
 * FIQ. A failed check stops the VM with 4 times its source line. Defines: GIC, 2 or 3.
 */
#include "guest_gic.h"
#include "vcpus.h"
#include "wrong.h"

#define IRQ 0x80u
#define FIQ 0x40u
#define MANY 8u /* more than list registers: SGIs 8 to 15 */

#define EXPECT(well)                                                                               \
	do {                                                                                       \
		if (!(well))                                                                       \
			stop_with(4 * __LINE__);                                                   \
	} while (0)

#ifdef __aarch64__
#define READ_ISR "mrs %0, isr_el1"
#define WRITE(name, value)                                                                         \
	__asm__ volatile("msr " name ", %0\n\tisb" ::"r"((uint64_t)(value)) : "memory")
#else
#define READ_ISR "mrc p15, 0, %0, c12, c1, 0"
#endif

static uint32_t signalled(void)
{
	uintptr_t isr;

	__asm__ volatile("isb\n\t" READ_ISR : "=r"(isr)::"memory");
	return isr & (IRQ | FIQ);
}

#if GIC == 2
#define CTLR_ON 3u
#define ACK_CTL 4u
#define FIQ_EN 8u
#define SPLIT_EOI (1u << 9)

static uint32_t ctlr = ACK_CTL | FIQ_EN;

static void set_ctlr(uint32_t clear, uint32_t set)
{
	ctlr = (ctlr & ~clear) | set;
	mmio_write32(GICC, ctlr);
}

static void both_on(void)
{
	mmio_write32(GICC + 4, 0xff); /* PMR */
	set_ctlr(0, 3);
}

static void split_eoi(void)
{
	set_ctlr(0, SPLIT_EOI);
}

/* A read of IAR without AckCtl does not acknowledge a Group 1 interrupt (IHI 0048B 4.4.4). */
static void expect_not_the_others(bool group1)
{
	if (!group1)
		return;
	set_ctlr(ACK_CTL, 0);
	EXPECT(mmio_read32(GICC + 0xc) == 1022);
	set_ctlr(0, ACK_CTL);
}

static void deactivate(uint32_t intid)
{
	mmio_write32(GICC + 0x1000, intid);
}

static void send_group0(unsigned id)
{
	send(id, 1);
}
#else
#define CTLR_ON 0x13u /* with ARE */

static void both_on(void)
{
	WRITE("s3_0_c4_c6_0", 0xff); /* PMR */
	WRITE("s3_0_c12_c12_6", 1);  /* IGRPEN0 */
	WRITE("s3_0_c12_c12_7", 1);  /* IGRPEN1 */
}

static void split_eoi(void)
{
	WRITE("s3_0_c12_c12_4", 2); /* CTLR: EOImode */
}

static void expect_not_the_others(bool group1)
{
	EXPECT(acknowledge(group1) == SPURIOUS);
}

static void deactivate(uint32_t intid)
{
	WRITE("s3_0_c12_c11_1", intid);
}

static void send_group0(unsigned id)
{
	WRITE("s3_0_c12_c11_7", (uint64_t)id << 24 | 1);       /* SGI0R */
	WRITE("s3_0_c12_c11_7", (uint64_t)(id + 8) << 24 | 1); /* this SGI is not in Group 0 */
}
#endif

static uint32_t sgis(uint32_t bank)
{
	return mmio_read32(private_of(0) + bank);
}

static void sgis_set(uint32_t bank, uint32_t value)
{
	mmio_write32(private_of(0) + bank, value);
}

/* Take an interrupt. The registers of its own group show it, and no others. */
static void take(bool group1, unsigned id)
{
	EXPECT(signalled() == (group1 ? IRQ : FIQ));
	expect_not_the_others(group1);
	EXPECT(acknowledge(!group1) == id);
	end(!group1, id);
}

static void each_group_is_signalled_its_way(void)
{
	send_group0(1);
	take(false, 1);
	send(8, 1);
	take(true, 8);
	EXPECT(signalled() == 0);
}

/* With more active interrupts than list registers each one stays active until its second step, in
 * whatever order these steps come. */
static void an_end_in_two_steps_is_the_second(void)
{
	split_eoi();
	for (unsigned i = MANY; i-- > 0;) {
		send(8 + i, 1);
		EXPECT(acknowledge(false) == 8 + i);
	}
	for (unsigned i = 0; i < MANY; i++) {
		end(false, 8 + i);
		EXPECT(sgis(0x300) == 0xff00);
	}
	for (unsigned i = 0; i < MANY; i++) {
		unsigned id = 8 + i * 3 % MANY;

		send(id, 1);
		EXPECT(signalled() == 0);
		deactivate(id);
		EXPECT(!(sgis(0x300) >> id & 1));
		EXPECT(acknowledge(false) == id);
		end(false, id);
		deactivate(id);
	}
	EXPECT(sgis(0x300) == 0 && signalled() == 0);
}

void first_main(void)
{
	mmio_write32(GICD, CTLR_ON);
	sgis_set(0x80, 0xff00); /* IGROUPR */
	sgis_set(0x100, 0xffff);
	for (unsigned i = 0; i < 16; i++) /* a later SGI is less urgent */
		mmio_write8(private_of(0) + IPRIORITYR + i, (uint8_t)(0x10 + 8 * i));
	both_on();
	each_group_is_signalled_its_way();
	an_end_in_two_steps_is_the_second();
	psci(SYSTEM_OFF, 0, 0, 0);
}
