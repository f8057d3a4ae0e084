/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The windows of guest/probe/windows.h, and the exceptions that end them. An interrupt returns by
 * BX after Supervisor mode is restored: the first instruction after the vector's branch is the
 * closing read, and the window's function continues after its wait with interrupts masked. So a
 * window saves no registers. HVC and SMC may change r0-r3 and r12 (DEN 0028 2.6).
 *
 * In a window: r4 = struct probe_window, r5 = return address, r6 = delay, r8, r9 = first read, r10,
 * r11 = last read.
 */
	.arch	armv7ve
	.arch_extension virt
	.arch_extension sec
	.fpu	vfpv3
	.arm

#define MODE_SVC 0x13
#define MODE_MASK 0x1f
#define MODE_HYP 0x1a
#define DELAY r6
#define CPACR_CP10_CP11 (0xf << 20)
#define FPEXC_EN (1 << 30)
/* Turns of a wait for an interrupt, at least two instructions each: 2^25. */
#define WAIT_TURNS (1 << 25)

#include "guest/arch/armv7/exceptions.inc"
#include "guest/probe/arch/armv7/address.inc"

	/*
	 * Execute `count` instructions: 2 a round and 2 before the loop. `count` is even, and 4 at
	 * least.
	 */
	.macro	delay, count
	sub	\count, \count, #2
	nop
1:	subs	\count, \count, #2
	bne	1b
	.endm

	.macro	read_counter, low, high
	mrrc	p15, 1, \low, \high, c14	/* CNTVCT */
	.endm

	.macro	closing_read, delayed
	isb
	.if	\delayed
	delay	r6
	.endif
	read_counter r10, r11
	isb
	.endm

	.macro	opening_read
	isb
	read_counter r8, r9
	isb
	.endm

	.macro	leave
	strd	r8, r9, [r4]
	strd	r10, r11, [r4, #8]
	pop	{r4-r12, pc}
	.endm

	.macro	enter
	push	{r4-r12, lr}
	mov	r4, r0
	movs	r6, r1
	bne	2f
	.endm

	/* r2 = struct probe_call */
	.macro	call_arguments
	ldr	r12, [r2, #16]
	ldm	r2, {r0-r3}
	.endm

	.macro	physical_read_opening
	mrrc	p15, 0, r8, r9, c14	/* CNTPCT */
	.endm
	.macro	physical_read_closing
	mrrc	p15, 0, r10, r11, c14
	.endm
	.macro	use_fp
	vmov	s31, r8
	.endm

#define LOAD_WORD ldr r0, [r2]
#include "guest/probe/arch/common/windows.inc"

	/* Choose the vectors with a delay of r6 instructions before the closing read, or those
	 * without a delay. */
	.macro	choose_vectors
	cmp	r6, #0
	bne	1f
	address	r12, probe_vectors
	b	2f
1:	address	r12, probe_vectors_delayed
2:	mcr	p15, 0, r12, c12, c0, 0
	isb
	.endm

	.macro	not_come
	cpsid	i
	mov	r10, #0
	mov	r11, #0
	.endm

	/* An SGI is sent with interrupts unmasked. The vector returns after the wait. */
	.global	window_sgi_gicv2
window_sgi_gicv2:
	push	{r4-r12, lr}
	mov	r4, r0
	mov	r6, r1
	choose_vectors
	address	lr, 3f
	mov	r7, #WAIT_TURNS
	cpsie	i
	isb
	read_counter r8, r9
	str	r3, [r2]
2:	subs	r7, r7, #1
	bne	2b
	not_come
	mov	r8, #0
	mov	r9, #0
3:	leave

	/* No Armv7 core has a GICv3; the symbol lets isa-free code name it. */
	.global	window_sgi_gicv3
window_sgi_gicv3:
	b	unexpected_reset

	.macro	wait, name, instruction:vararg
	.global	\name
\name:
	push	{r4-r12, lr}
	mov	r6, r0
	choose_vectors
	address	lr, 3f
	mov	r7, #WAIT_TURNS
	cpsie	i
	isb
2:	\instruction
	subs	r7, r7, #1
	bne	2b
	not_come
3:	mov	r0, r10
	mov	r1, r11
	pop	{r4-r12, pc}
	.endm
	wait	wait_busy
	wait	wait_asleep, wfi

	/* While TPIDRPRW is not 0, an Undefined Instruction or Data Abort exception continues at
	 * attempt_failed, with the stack pointer in TPIDRPRW. */
	.global	attempt
attempt:
	push	{r3-r11, lr}
	mcr	p15, 0, sp, c13, c0, 4
	isb
	mov	r2, r0
	mov	r0, r1
	blx	r2
	mov	r0, #1
1:	mov	r1, #0
	mcr	p15, 0, r1, c13, c0, 4
	isb
	pop	{r3-r11, pc}
attempt_failed:
	mov	r0, #0
	b	1b

	/*
	 * Read CNTPCT in a loop. r0 = struct probe_stamps, r1 = room for stamps, r2 = end, r3 =
	 * gap. Store both of two successive reads that are `gap` ticks or more apart. Return the
	 * number of pairs.
	 */
	.macro	busy, name, fp
	.global	\name
\name:
	push	{r4-r8, lr}
	mov	r8, r0
	mrrc	p15, 0, r4, r12, c14
1:	mrrc	p15, 0, r5, r12, c14
	.if	\fp
	vmov	s31, r5
	.endif
	sub	r6, r5, r4
	cmp	r6, r3
	bhs	3f
	mrrc	p15, 0, r4, r12, c14
	sub	r6, r4, r5
	cmp	r6, r3
	bhs	4f
	subs	r6, r4, r2
	bmi	1b
2:	sub	r0, r0, r8
	lsr	r0, r0, #3
	pop	{r4-r8, pc}
3:	stm	r0!, {r4, r5}
	mov	r4, r5
	b	5f
4:	str	r5, [r0], #4
	str	r4, [r0], #4
5:	subs	r1, r1, #1
	bne	1b
	b	2b
	.endm
	busy	busy_until, 0
	busy	busy_fp_until, 1

	.global	fp_enable
fp_enable:
	mrc	p15, 0, r0, c1, c0, 2
	orr	r0, r0, #CPACR_CP10_CP11
	mcr	p15, 0, r0, c1, c0, 2
	isb
	mov	r0, #FPEXC_EN
	vmsr	fpexc, r0
	vmov	s31, r0
	bx	lr

	.global	exception_level
exception_level:
	mrs	r0, cpsr
	and	r0, r0, #MODE_MASK
	cmp	r0, #MODE_HYP
	moveq	r0, #2
	movne	r0, #1
	bx	lr

	/* The exception's mode runs this code. Every mode but HYP continues in Supervisor mode. */
	.macro	unexpected, name, offset
unexpected_\name:
	mov	r0, #\offset
	mov	r2, lr
	mrc	p15, 0, r1, c5, c0, 0	/* DFSR */
	cps	#MODE_SVC
	b	probe_crash
	.endm
	unexpected_exceptions

	.macro	maybe_attempted, name
attempted_\name:
	mrc	p15, 0, sp, c13, c0, 4
	cmp	sp, #0
	beq	unexpected_\name
	mov	r3, sp
	cps	#MODE_SVC
	mov	sp, r3
	b	attempt_failed
	.endm
	maybe_attempted undefined
	maybe_attempted data

	.macro	irq, delayed
	.if	\delayed
	delay	r6
	.endif
	read_counter r10, r11
	cps	#MODE_SVC
	bx	lr
	.endm

irq_entry:
	irq	0
irq_entry_delayed:
	irq	1

	.section .text.vectors, "ax"
	.balign	32
	.global	probe_vectors
	.hidden	probe_vectors
probe_vectors:
	vector_table irq_entry, data=attempted_data, und=attempted_undefined
probe_vectors_delayed:
	vector_table irq_entry_delayed, data=attempted_data, und=attempted_undefined
