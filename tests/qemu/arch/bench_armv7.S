/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel of a guest in C that takes the place of the bench guest (bench.h). stub_run() loads
 * every register from stub_in, runs stub_code, and stores every register to stub_seen. Registers
 * are r0 to r14 of User mode, CPSR, r8_fiq to r12_fiq, then SP, LR and SPSR of FIQ, IRQ, SVC, Abort
 * and Undefined mode. The stub begins in SVC mode and may end in another, which is not User mode.
 * No stack is in use while the stub runs.
 */
#include "abi/guest_run.h"

	.syntax	unified
	.arch	armv7ve
	.arch_extension virt
	.arch_extension sec
	.fpu	neon-vfpv4
	.arm

#define SLOT_CPSR (4 * 15)
#define SLOT_FIQ (4 * 16)
#define STUB_WORDS 16

	.set	mode_fiq, 0x11
	.set	mode_irq, 0x12
	.set	mode_svc, 0x13
	.set	mode_abt, 0x17
	.set	mode_und, 0x1b
	.set	mode_sys, 0x1f
	.set	sp_fiq, 4 * 21		/* then LR, SPSR */
	.set	sp_irq, 4 * 24
	.set	sp_svc, 4 * 27
	.set	sp_abt, 4 * 30
	.set	sp_und, 4 * 33

	.text
	.global	_start
_start:	.ascii	GUEST_HEADER_MAGIC "\0"
	.word	_start, 0, entry, 0, _edata - _start, 0, _end, 0

entry:	ldr	sp, =stack_end
	ldr	r1, =vectors
	mcr	p15, 0, r1, c12, c0, 0		/* VBAR */
	bl	bench_main
	b	.

	.macro	fill mode
	cps	#mode_\mode
	ldr	sp, [r0, #sp_\mode]
	ldr	lr, [r0, #sp_\mode + 4]
	ldr	r1, [r0, #sp_\mode + 8]
	msr	spsr_fsxc, r1
	.endm

	.macro	keep mode
	cps	#mode_\mode
	str	sp, [r0, #sp_\mode]
	str	lr, [r0, #sp_\mode + 4]
	mrs	r1, spsr
	str	r1, [r0, #sp_\mode + 8]
	.endm

	.global	vectors, stub_run, stub_code, stub_end, stub_in, stub_seen
stub_run:
	push	{r4-r12, lr}
	str	sp, kernel_sp
	ldr	r0, =stub_in
	fill	fiq
	add	r1, r0, #SLOT_FIQ
	ldm	r1, {r8-r12}
	fill	irq
	fill	abt
	fill	und
	cps	#mode_sys
	ldr	sp, [r0, #4 * 13]
	ldr	lr, [r0, #4 * 14]
	fill	svc
	ldr	r1, [r0, #SLOT_CPSR]
	msr	cpsr_f, r1
	ldm	r0, {r0-r12}
stub_code:
	.rept	STUB_WORDS
	nop
	.endr
stub_end:
	str	r0, stub_seen
	adr	r0, stub_seen
	stmib	r0, {r1-r7}
	mrs	r1, cpsr
	str	r1, [r0, #SLOT_CPSR]
	keep	fiq
	add	r1, r0, #SLOT_FIQ
	stm	r1, {r8-r12}
	keep	irq
	keep	abt
	keep	und
	cps	#mode_sys
	add	r1, r0, #4 * 8
	stm	r1, {r8-r12}
	str	sp, [r0, #4 * 13]
	str	lr, [r0, #4 * 14]
	keep	svc
	ldr	sp, kernel_sp
	pop	{r4-r12, pc}
kernel_sp: .word 0
irq_sp:	.word	0
stub_seen: .space 4 * 36
	.ltorg

	/* The interrupted code goes on after the instruction. */
irq:	str	sp, irq_sp
	ldr	sp, =irq_stack_end
	push	{r0-r3, r12, lr}
	bl	on_irq
	pop	{r0-r3, r12, lr}
	ldr	sp, irq_sp
	movs	pc, lr

	.macro	unexpected offset
	mov	r0, #\offset
	b	1f
	.endm
0:	unexpected 0x00
4:	unexpected 0x04
5:	unexpected 0x0c
6:	unexpected 0x10
7:	unexpected 0x14
8:	unexpected 0x1c
1:	cps	#mode_svc
	ldr	sp, =stack_end
	b	on_exception
	.ltorg

	.balign	32
vectors:
	b	0b
	b	4b
	bx	lr				/* SVC, from User mode: goes on in SVC mode */
	b	5b
	b	6b
	b	7b
	b	irq
	b	8b

	.data
	.balign	8
stub_in: .space	4 * 36
	.space	4096
stack_end:
	.space	1024
irq_stack_end:
