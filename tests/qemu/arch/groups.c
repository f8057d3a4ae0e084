/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that has both groups, more pending and more active than there are list registers, and EOI
 * in two steps. With interrupts masked, mostly: ISR shows the signals, Group 0 as FIQ. An
 * error stops the VM with 4 times the line that expected otherwise. Defines: GIC, 2 or 3.
 */
#include "guest_gic.h"
#include "vcpus.h"
#include "wrong.h"

#define IRQ 0x80u
#define FIQ 0x40u
#define MANY 8u /* more than list registers: SGIs 8 to 15 */

void taken(bool fiq);

#define EXPECT(well)                                                                               \
	do {                                                                                       \
		if (!(well))                                                                       \
			stop_with(4 * __LINE__);                                                   \
	} while (0)

#ifdef __aarch64__
#define READ(name)                                                                                 \
	({                                                                                         \
		uint64_t value;                                                                    \
		__asm__ volatile("isb\n\tmrs %0, " name : "=r"(value)::"memory");                  \
		value;                                                                             \
	})
#define WRITE(name, value)                                                                         \
	__asm__ volatile("msr " name ", %0\n\tisb" ::"r"((uint64_t)(value)) : "memory")

static uint32_t signalled(void)
{
	return READ("isr_el1") & (IRQ | FIQ);
}

static void unmask(uint32_t which)
{
	WRITE("daif", (IRQ | FIQ) & ~which);
}

__asm__(".pushsection .text.vectors, \"ax\"\n"
	".macro vector, offset, fiq\n"
	".org vectors + \\offset\n"
	"	stp	x0, x1, [sp, #-160]!\n"
	"	mov	w0, #\\fiq\n"
	"	b	handle\n"
	".endm\n"
	".balign 0x800\n"
	"vectors:\n" /* of EL1h; the others lead nowhere */
	"	vector	0x280, 0\n"
	"	vector	0x300, 1\n"
	".org vectors + 0x800\n"
	"handle:\n"
	"	stp	x2, x3, [sp, #16]\n"
	"	stp	x4, x5, [sp, #32]\n"
	"	stp	x6, x7, [sp, #48]\n"
	"	stp	x8, x9, [sp, #64]\n"
	"	stp	x10, x11, [sp, #80]\n"
	"	stp	x12, x13, [sp, #96]\n"
	"	stp	x14, x15, [sp, #112]\n"
	"	stp	x16, x17, [sp, #128]\n"
	"	stp	x18, x30, [sp, #144]\n"
	"	bl	taken\n"
	"	ldp	x18, x30, [sp, #144]\n"
	"	ldp	x2, x3, [sp, #16]\n"
	"	ldp	x4, x5, [sp, #32]\n"
	"	ldp	x6, x7, [sp, #48]\n"
	"	ldp	x8, x9, [sp, #64]\n"
	"	ldp	x10, x11, [sp, #80]\n"
	"	ldp	x12, x13, [sp, #96]\n"
	"	ldp	x14, x15, [sp, #112]\n"
	"	ldp	x16, x17, [sp, #128]\n"
	"	ldp	x0, x1, [sp], #160\n"
	"	eret\n"
	".popsection\n");

static void set_vectors(void)
{
	extern const char vectors[];

	WRITE("vbar_el1", (uintptr_t)vectors);
}
#else
static uint32_t signalled(void)
{
	uint32_t isr;

	__asm__ volatile("isb\n\tmrc p15, 0, %0, c12, c1, 0" : "=r"(isr)::"memory");
	return isr & (IRQ | FIQ);
}

static void unmask(uint32_t which)
{
	uint32_t cpsr;

	__asm__ volatile("mrs %0, cpsr" : "=r"(cpsr));
	cpsr = (cpsr | IRQ | FIQ) & ~which;
	__asm__ volatile("msr cpsr_c, %0\n\tisb" ::"r"(cpsr) : "memory");
}

__asm__(".pushsection .text.vectors, \"ax\"\n"
	".macro vector, fiq\n"
	"	sub	lr, lr, #4\n"
	"	srsdb	sp!, #0x13\n"
	"	cps	#0x13\n"
	"	push	{r0-r3, r12, lr}\n"
	"	mov	r0, #\\fiq\n"
	"	bl	taken\n"
	"	pop	{r0-r3, r12, lr}\n"
	"	rfeia	sp!\n"
	".endm\n"
	".balign 32\n"
	"vectors:\n" /* the others lead nowhere */
	".rept 6\n"
	"	b	.\n"
	".endr\n"
	"	b	take_irq\n"
	"	vector	1\n"
	"take_irq:\n"
	"	vector	0\n"
	".popsection\n");

static void set_vectors(void)
{
	extern const char vectors[];

	__asm__ volatile("mcr p15, 0, %0, c12, c0, 0\n\tisb" ::"r"(vectors));
}
#endif

#if GIC == 2
/* What is more urgent and of a group that is off may be what is pending foremost, and then holds
 * back the rest (IHI 0048B 3.7: the CPU interface looks at that one alone). */
#define OFF_BLOCKS true
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

static void enable(unsigned group, bool on)
{
	set_ctlr(1u << group, (uint32_t)on << group);
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

/* IAR without AckCtl leaves it where it is (IHI 0048B 4.4.4). */
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
#define OFF_BLOCKS false
#define CTLR_ON 0x13u /* with ARE */

static void enable(unsigned group, bool on)
{
	if (group)
		WRITE("s3_0_c12_c12_7", on); /* IGRPEN1 */
	else
		WRITE("s3_0_c12_c12_6", on);
}

static void both_on(void)
{
	WRITE("s3_0_c4_c6_0", 0xff); /* PMR */
	enable(0, true);
	enable(1, true);
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
	WRITE("s3_0_c12_c11_7", (uint64_t)(id + 8) << 24 | 1); /* is not in Group 0 */
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

/* Its own group's registers, and they alone, have it. */
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

static volatile struct {
	unsigned count;
	uint32_t intid;
} took[2]; /* by the IRQ vector, by the FIQ vector */

void taken(bool fiq)
{
	uint32_t intid = acknowledge(fiq);

	took[fiq].intid = intid;
	took[fiq].count++;
	end(fiq, intid);
}

static bool taken_so_far(unsigned irqs, unsigned fiqs)
{
	return took[0].count == irqs && took[1].count == fiqs;
}

/* As soon as its mask, and not the other's, lets it. */
static void each_group_is_taken_by_its_vector(void)
{
	set_vectors();
	for (unsigned round = 0; round < 2; round++) {
		send_group0(1);
		unmask(IRQ);
		EXPECT(taken_so_far(2 * round, 2 * round));
		unmask(FIQ);
		EXPECT(taken_so_far(2 * round, 2 * round + 1));
		EXPECT(took[1].intid == 1);
		send(8, 1);
		EXPECT(taken_so_far(2 * round, 2 * round + 1));
		unmask(IRQ);
		EXPECT(taken_so_far(2 * round + 1, 2 * round + 1));
		EXPECT(took[0].intid == 8);
		unmask(IRQ | FIQ);
		send(9, 1);
		EXPECT(taken_so_far(2 * round + 2, 2 * round + 1));
		send_group0(2);
		EXPECT(taken_so_far(2 * round + 2, 2 * round + 2));
		EXPECT(took[0].intid == 9 && took[1].intid == 2);
		unmask(0);
	}
	EXPECT(signalled() == 0);
}

/* A pending interrupt of Group 1, which is off, keeps no list register from Group 0. */
static void one_group_alone_is_taken(void)
{
	enable(1, false);
	for (unsigned i = 0; i < MANY; i++)
		send(8 + i, 1);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned id = 0; id < 8; id++) {
			send(id, 1);
			take(false, id);
		}
	for (unsigned id = 0; id < 8; id++)
		send(id, 1);
	enable(0, false);
	EXPECT(signalled() == 0);
	enable(1, true);
	if (OFF_BLOCKS)
		enable(0, true);
	for (unsigned id = 0; OFF_BLOCKS && id < 8; id++)
		take(false, id);
	for (unsigned i = 0; i < MANY; i++)
		take(true, 8 + i);
	EXPECT(signalled() == 0);
	enable(0, true);
	for (unsigned id = 0; !OFF_BLOCKS && id < 8; id++)
		take(false, id);
	EXPECT(signalled() == 0);
}

/* Deeper than list registers: active until the second step, in whatever order those come. */
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
	for (unsigned i = 0; i < 16; i++) /* the later the less urgent */
		mmio_write8(private_of(0) + IPRIORITYR + i, (uint8_t)(0x10 + 8 * i));
	both_on();
	each_group_is_signalled_its_way();
	each_group_is_taken_by_its_vector();
	one_group_alone_is_taken();
	an_end_in_two_steps_is_the_second();
	psci(SYSTEM_OFF, 0, 0, 0);
}
