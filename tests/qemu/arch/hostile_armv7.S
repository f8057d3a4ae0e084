/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks, exception vectors and calls; for arch/hostile.c. */
#include "wrong.h"

#define STACKS (RAM + 0x2000000) /* each vCPU's stack grows down from a page of its own */
#define NOTHING 0x0bad0000
#define MODE_SVC 0x13

	.arch	armv7ve
	.arch_extension virt
	.arch_extension sec
	.arm

	.macro begin
	ldr	r1, =vectors
	mcr	p15, 0, r1, c12, c0, 0 @ VBAR
	mrc	p15, 0, r0, c0, c0, 5 @ MPIDR
	and	r0, r0, #3
	mov	r1, #STACKS
	add	sp, r1, r0, lsl #12
	isb
	.endm

	.text
	.global	_start
_start:
	begin
	bl	first_main
	b	.
	.ltorg

#define RETURN bx lr
#include "hostile_entries.inc"

	/* wander_to(pc, psr, address, what, depth, vectors): see hostile_anywhere.c */
	.global	wander_to
wander_to:
	push	{r4-r11, lr}
	ldr	r4, [sp, #36]
	ldr	r5, [sp, #40]
	push	{r4}
	mcr	p15, 0, sp, c13, c0, 4 @ TPIDRPRW
	ldr	r6, =lost_vectors
	add	r6, r6, r5
	mcr	p15, 0, r6, c12, c0, 0
	isb
	push	{r0, r1}
	mov	r0, r2
	mov	r1, r3
	rfeia	sp!

	/* Skip an unaligned access, or an access to a register that does not exist. */
abort:
	subs	pc, lr, #4
undefined:
	movs	pc, lr

wrong:
	ldr	r1, =WRONG
	ldrb	r0, [r1], #1
	b	.
	.ltorg

	.macro	taken, fast
	sub	lr, lr, #4
	srsdb	sp!, #MODE_SVC
	cps	#MODE_SVC
	push	{r0-r3, r12, lr}
	and	r1, sp, #4
	sub	sp, sp, r1
	push	{r1, r2}
	mov	r0, #\fast
	bl	interrupt
	pop	{r1, r2}
	add	sp, sp, r1
	pop	{r0-r3, r12, lr}
	rfeia	sp!
	.endm

irq:
	taken	0
fiq:
	taken	1

	.balign	32
vectors:
	b	wrong
	b	undefined
	b	wrong
	b	wrong
	b	abort
	b	wrong
	b	irq
	b	fiq

	/* The guest goes on after these NOPs, wherever in them and in whichever mode it begins. */
	.balign	32
lost_vectors:
	.rept	2 * 32 / 4
	nop
	.endr
	cpsid	if, #MODE_SVC
	mrc	p15, 0, sp, c13, c0, 4
	ldr	r4, [sp]
	subs	r4, r4, #1
	bmi	back
	str	r4, [sp]
	and	r4, r4, #3
	ldr	r7, =NOTHING
	add	pc, pc, r4, lsl #3
	nop
	svc	#1
	b	back
	.word	0xe7f000f0 @ undefined
	b	back
	ldr	r7, [r7]
	b	back
	bkpt	#1
	b	back

back:
	ldr	r6, =vectors
	mcr	p15, 0, r6, c12, c0, 0
	isb
	pop	{r4}
	pop	{r4-r11, pc}
	.ltorg

#include "hostile_snippets.inc"
