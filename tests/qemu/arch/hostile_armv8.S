/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks, exception vectors and calls; for arch/hostile.c. */
#include "guest/arch/armv8/frame.inc"
#include "wrong.h"

#define STACKS (RAM + 0x2000000) /* each vCPU's stack grows down from a page of its own */
#define NOTHING 0x0bad0000
#define UNDEFINED 0x00
#define DATA_ABORT 0x25

	.macro begin
	adr	x1, vectors
	msr	vbar_el1, x1
	mrs	x0, mpidr_el1
	and	x0, x0, #3
	mov	x1, #STACKS
	add	x1, x1, x0, lsl #12
	mov	sp, x1
	isb
	.endm

	.text
	.global	_start
_start:
	begin
	bl	first_main
	b	.

#define RETURN ret
#include "hostile_entries.inc"

	/* wander_to(pc, psr, address, what, depth, vectors): see hostile_anywhere.c */
	.global	wander_to
wander_to:
	stp	x19, x20, [sp, #-112]!
	callee_registers stp
	stp	x29, x30, [sp, #80]
	str	x4, [sp, #96]
	mov	x6, sp
	msr	tpidr_el1, x6
	ldr	x6, =lost_vectors
	add	x6, x6, x5
	msr	vbar_el1, x6
	isb
	msr	elr_el1, x0
	msr	spsr_el1, x1
	mov	x0, x2
	mov	x1, x3
	eret

	/* Skip an unaligned access, or an access to a register that does not exist. */
sync:
	stp	x0, x1, [sp, #-16]!
	mrs	x0, esr_el1
	lsr	x0, x0, #26
	cmp	x0, #DATA_ABORT
	ccmp	x0, #UNDEFINED, #4, ne
	b.ne	wrong
	mrs	x0, elr_el1
	add	x0, x0, #4
	msr	elr_el1, x0
	ldp	x0, x1, [sp], #16
	eret

wrong:
	mov	x1, #WRONG
	ldrb	w0, [x1], #1
	b	.

	.macro	taken, fast
	stp	x0, x1, [sp, #-192]!
	caller_registers stp
	mrs	x0, elr_el1
	mrs	x1, spsr_el1
	stp	x0, x1, [sp, #160]
	mov	w0, #\fast
	bl	interrupt
	ldp	x0, x1, [sp, #160]
	msr	elr_el1, x0
	msr	spsr_el1, x1
	caller_registers ldp
	ldp	x0, x1, [sp], #192
	eret
	.endm

irq:
	taken	0
fiq:
	taken	1

	.balign	2048
vectors:
	.irp	target, wrong, wrong, wrong, wrong, sync, irq, fiq, wrong
	b	\target
	.balign	128
	.endr
	.rept	8
	b	wrong
	.balign	128
	.endr
	.ltorg

	/* The guest goes on after these NOPs, wherever in them and in whichever mode it begins. */
	.balign	2048
lost_vectors:
	.rept	2 * 2048 / 4
	nop
	.endr
	mrs	x6, tpidr_el1
	msr	spsel, #1
	mov	sp, x6
	ldr	x4, [sp, #96]
	cbz	x4, back
	sub	x4, x4, #1
	str	x4, [sp, #96]
	and	x4, x4, #3
	adr	x6, 1f
	add	x6, x6, x4, lsl #3
	ldr	x7, =NOTHING
	br	x6
1:	svc	#1
	b	back
	.inst	0 /* undefined */
	b	back
	ldr	x7, [x7]
	b	back
	brk	#1
	b	back

back:
	ldr	x6, =vectors
	msr	vbar_el1, x6
	isb
	callee_registers ldp
	ldp	x29, x30, [sp, #80]
	ldp	x19, x20, [sp], #112
	ret
	.ltorg

	.macro	one, instruction:vararg
	\instruction
	svc	#0
	.endm

	.global	own_snippets
own_snippets:
	one	nop
	one	.inst 0
	one	brk #0
	one	hvc #0x123
	one	smc #0x123
	one	ldr w2, [x0]
	one	str w1, [x0]
	one	ldrsb x2, [x0]
	one	strh w1, [x0]
	one	ldr x2, [x0]
	one	str x1, [x0]
	one	dc civac, x0
	one	mrs x2, vbar_el2
	one	mrs x2, cntp_ctl_el0
	one	msr vttbr_el2, x1
	one	yield

#include "hostile_snippets.inc"
