/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest of a GICv3 that has both groups, more pending and more active than there are list
 * registers, and EOI in two steps. With interrupts masked: ISR_EL1 says what is signalled, Group 0
 * as FIQ. What is wrong loads from WRONG plus the line that expected otherwise.
 */
#include <stdbool.h>
#include <stdint.h>

#define WRONG 0x0bad0000u
#define GICD 0x08000000u
#define GICR_SGI 0x080b0000u
#define SYSTEM_OFF 0x84000008u

#define IRQ 0x80u
#define FIQ 0x40u
#define SPURIOUS 1023u
#define MANY 8u /* more than list registers: SGIs 8 to 15 */

uintptr_t psci(uintptr_t id, uintptr_t a1, uintptr_t a2, uintptr_t a3);
void first_main(void);
void second_main(void);

#define READ(name)                                                                                 \
	({                                                                                         \
		uint64_t value;                                                                    \
		__asm__ volatile("isb\n\tmrs %0, " name : "=r"(value)::"memory");                  \
		value;                                                                             \
	})
#define WRITE(name, value)                                                                         \
	__asm__ volatile("msr " name ", %0\n\tisb" ::"r"((uint64_t)(value)) : "memory")

#define PMR "s3_0_c4_c6_0"
#define IAR(group) (group ? READ("s3_0_c12_c12_0") : READ("s3_0_c12_c8_0"))
#define SGI0R "s3_0_c12_c11_7"
#define SGI1R "s3_0_c12_c11_5"
#define DIR "s3_0_c12_c11_1"
#define CTLR "s3_0_c12_c12_4"
#define IGRPEN0 "s3_0_c12_c12_6"
#define IGRPEN1 "s3_0_c12_c12_7"

static volatile uint32_t *sgis(uint32_t bank)
{
	return (volatile uint32_t *)(uintptr_t)(GICR_SGI + bank);
}

#define EXPECT(well)                                                                               \
	do {                                                                                       \
		if (!(well))                                                                       \
			(void)*(volatile uint32_t *)(uintptr_t)(WRONG + 4 * __LINE__);             \
	} while (0)

static uint32_t signalled(void)
{
	return READ("isr_el1") & (IRQ | FIQ);
}

static void eoi(bool group1, uint64_t intid)
{
	if (group1)
		WRITE("s3_0_c12_c12_1", intid);
	else
		WRITE("s3_0_c12_c8_1", intid);
}

static void send(unsigned id)
{
	WRITE(SGI1R, (uint64_t)id << 24 | 1);
}

/* Its own group's registers, and they alone, have it. */
static void take(bool group1, unsigned id)
{
	EXPECT(signalled() == (group1 ? IRQ : FIQ));
	EXPECT(IAR(!group1) == SPURIOUS);
	EXPECT(IAR(group1) == id);
	eoi(group1, id);
}

static void each_group_is_signalled_its_way(void)
{
	WRITE(SGI0R, 1ull << 24 | 1);
	take(false, 1);
	send(8);
	take(true, 8);
	WRITE(SGI0R, 8ull << 24 | 1); /* is not in Group 0 */
	EXPECT(signalled() == 0);
}

/* What is pending in Group 1 and off keeps no list register from Group 0. */
static void one_group_alone_is_taken(void)
{
	WRITE(IGRPEN1, 0);
	for (unsigned i = 0; i < MANY; i++)
		send(8 + i);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned id = 0; id < 8; id++) {
			send(id);
			take(false, id);
		}
	for (unsigned id = 0; id < 8; id++)
		send(id);
	WRITE(IGRPEN0, 0);
	EXPECT(signalled() == 0);
	WRITE(IGRPEN1, 1);
	for (unsigned i = 0; i < MANY; i++)
		take(true, 8 + i);
	EXPECT(signalled() == 0);
	WRITE(IGRPEN0, 1);
	for (unsigned id = 0; id < 8; id++)
		take(false, id);
	EXPECT(signalled() == 0);
}

/* Deeper than list registers: active until the second step, in whatever order those come. */
static void an_end_in_two_steps_is_the_second(void)
{
	WRITE(CTLR, 2); /* EOImode */
	for (unsigned i = MANY; i-- > 0;) {
		send(8 + i);
		EXPECT(IAR(true) == 8 + i);
	}
	for (unsigned i = 0; i < MANY; i++) {
		eoi(true, 8 + i);
		EXPECT(*sgis(0x300) == 0xff00);
	}
	for (unsigned i = 0; i < MANY; i++) {
		unsigned id = 8 + i * 3 % MANY;

		send(id);
		EXPECT(signalled() == 0);
		WRITE(DIR, id);
		EXPECT(!(*sgis(0x300) >> id & 1));
		EXPECT(IAR(true) == id);
		eoi(true, id);
		WRITE(DIR, id);
	}
	EXPECT(*sgis(0x300) == 0 && signalled() == 0);
}

void first_main(void)
{
	*(volatile uint32_t *)(uintptr_t)GICD = 0x13; /* ARE, both groups */
	*sgis(0x80) = 0xff00;                         /* IGROUPR */
	*sgis(0x100) = 0xffff;
	for (unsigned i = 0; i < 16; i++) /* the later the less urgent; the plain form of a store */
		__asm__ volatile("strb %w0, [%1]" ::"r"(0x10 + 8 * i),
				 "r"((uintptr_t)sgis(0x400) + i));
	WRITE(PMR, 0xff);
	WRITE(IGRPEN0, 1);
	WRITE(IGRPEN1, 1);
	each_group_is_signalled_its_way();
	one_group_alone_is_taken();
	an_end_in_two_steps_is_the_second();
	psci(SYSTEM_OFF, 0, 0, 0);
}

void second_main(void)
{
}
