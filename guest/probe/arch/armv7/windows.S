/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The windows of guest/probe/windows.h, and the exceptions they end in. An interrupt returns by BX,
 * with Supervisor mode put back: the first instruction after the vector's branch is the closing
 * read, and the window's function goes on after its wait, masked. So a window saves nothing. HVC
 * and SMC may change r0-r3 and r12 (DEN 0028 2.6).
 *
 * In a window: r4 = struct probe_window, r5 = return address, r6 = delay, r8, r9 = first read, r10,
 * r11 = last read.
 */
	.arch	armv7ve
	.arch_extension virt
	.arch_extension sec
	.arm

#define MODE_SVC 0x13
#define MODE_MASK 0x1f
#define MODE_HYP 0x1a
#define PSCI_VERSION_HIGH 0x8400

#include "guest/arch/armv7/exceptions.inc"
#include "guest/probe/arch/armv7/address.inc"

	/* 2 instructions a round, and 2 before: `count` of them, even, 4 at least. */
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

	.macro	call_arguments
	mov	r0, r2
	mov	r1, #0
	mov	r2, #0
	mov	r3, #0
	.endm

#define LOAD_WORD ldr r0, [r2]
#include "guest/probe/arch/common/windows.inc"

	/* Choose the vectors with a delay of r6 instructions before the closing read, or the
	 * plain ones. */
	.macro	choose_vectors
	cmp	r6, #0
	bne	1f
	address	r12, probe_vectors
	b	2f
1:	address	r12, probe_vectors_delayed
2:	mcr	p15, 0, r12, c12, c0, 0
	isb
	.endm

	/* SGIs are sent with interrupts let in; the vector returns after the wait. */
	.global	window_sgi_gicv2
window_sgi_gicv2:
	push	{r4-r12, lr}
	mov	r4, r0
	mov	r6, r1
	choose_vectors
	address	lr, 3f
	cpsie	i
	isb
	read_counter r8, r9
	str	r3, [r2]
2:	b	2b
3:	leave

	/* No Armv7 core has a GICv3; here so that isa-free code may name it. */
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
	cpsie	i
	isb
2:	\instruction
	b	2b
3:	mov	r0, r10
	mov	r1, r11
	pop	{r4-r12, pc}
	.endm
	wait	wait_busy
	wait	wait_asleep, wfi

	/* While TPIDRPRW is set, an Undefined Instruction exception goes on there. */
	.global	smc_defined
smc_defined:
	push	{r4, lr}
	address	r0, 1f
	mcr	p15, 0, r0, c13, c0, 4
	isb
	mov	r0, #0
	movt	r0, #PSCI_VERSION_HIGH
	smc	#0
	mov	r0, #1
	b	2f
1:	mov	r0, #0
2:	mov	r1, #0
	mcr	p15, 0, r1, c13, c0, 4
	pop	{r4, pc}

	.global	exception_level
exception_level:
	mrs	r0, cpsr
	and	r0, r0, #MODE_MASK
	cmp	r0, #MODE_HYP
	moveq	r0, #2
	movne	r0, #1
	bx	lr

	/* In the mode of the exception; every one but HYP mode goes on in Supervisor mode. */
	.macro	unexpected, name, offset
unexpected_\name:
	mov	r0, #\offset
	mov	r2, lr
	mrc	p15, 0, r1, c5, c0, 0	/* DFSR */
	cps	#MODE_SVC
	b	probe_crash
	.endm
	unexpected_exceptions

undefined:
	mrc	p15, 0, sp, c13, c0, 4
	cmp	sp, #0
	beq	unexpected_undefined
	mov	r3, sp
	cps	#MODE_SVC
	bx	r3

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
	vector_table irq_entry, und=undefined
probe_vectors_delayed:
	vector_table irq_entry_delayed, und=undefined
