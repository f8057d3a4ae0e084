/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exits to HYP mode and the way back. This file saves, calls, restores; it decides nothing but
 * which frame to take: an IRQ and a hypercall take the light one.
 *
 * In guest context SP_hyp points just behind the light part of the running vCPU's frame, so one
 * PUSH saves where the frame lives, and sp is then the struct vcpu that C is given (hyp/vcpu.h). C
 * returns the vCPU to resume: the same one, another one, or NULL to return from vcpu_run(). Only
 * for another one is the rest of a light frame saved, which C has left as it was.
 */
#include "arch/trap_frame.h"

	.arch	armv7ve
	.arm

#define EC_HVC 0x12
#define VCPU_HOST_SP TRAP_FRAME_SIZE

	.macro save_light
	push	{r0-r3, r12, lr}
	.endm

	.macro restore_light
	pop	{r0-r3, r12, lr}
	.endm

	/* What a full frame holds besides: C keeps r4-r11, but emulation reads and writes any
	   register, and it does so in the frame. */
	.macro save_rest
	add	r0, sp, #TRAP_FRAME_LIGHT_SIZE
	stm	r0, {r4-r11}
	.endm

	.macro restore_rest
	add	r0, sp, #TRAP_FRAME_LIGHT_SIZE
	ldm	r0, {r4-r11}
	.endm

	/* delay_el2: with the two loads, exactly as many instructions as configured. */
	.macro spin
	ldr	r0, =vector_delay
	ldr	r0, [r0]
99:	subs	r0, r0, #2
	bne	99b
	.endm

	.macro call handler, full
	mov	r0, sp
	bl	\handler
	cmp	sp, r0
	.if	\full
	bne	another_full
	.else
	bne	another_light
	.endif
	.endm

	.macro exit_light handler, full
	.if	\full
	save_rest
	.endif
	call	\handler, \full
	.if	\full
	restore_rest
	.endif
	restore_light
	eret
	.endm

	/* One vector table and the exits behind it. suffix: which of trap.c's twins; full: every
	   exit takes the full frame; delayed: every entry spins first. */
	.macro vector_table name, suffix, full, delayed
	.balign	32
	.global	\name
\name:
	b	own_exception			/* reset: not taken to HYP mode */
	b	own_exception			/* from HYP mode itself: undefined instruction, */
	b	own_exception			/* HVC, */
	b	own_exception			/* prefetch abort, */
	b	own_exception			/* data abort */
	b	\name\()_trap			/* from the guest: HVC, traps, aborts */
	b	\name\()_irq
	b	\name\()_irq			/* FIQ: nothing signals one; taken as IRQ */

\name\()_irq:
	save_light
	.if	\delayed
	spin
	.endif
	exit_light trap_irq\suffix, \full

\name\()_trap:
	save_light
	.if	\delayed
	spin
	.endif
	mrc	p15, 4, r1, c5, c2, 0		/* HSR */
	lsr	r1, r1, #26
	cmp	r1, #EC_HVC
	bne	1f
	exit_light trap_hvc\suffix, \full
1:	exit_light trap_sync\suffix, 1
	.endm

	.text
	vector_table vectors, , 0, 0
	vector_table vectors_full, , 1, 0
	vector_table vectors_instrumented, _instrumented, 0, 0
	vector_table vectors_full_instrumented, _instrumented, 1, 0
	vector_table vectors_delayed, , 0, 1
	vector_table vectors_full_delayed, , 1, 1
	vector_table vectors_instrumented_delayed, _instrumented, 0, 1
	vector_table vectors_full_instrumented_delayed, _instrumented, 1, 1

	/* HSR tells which. Interrupts are masked in HYP mode: there is no other. */
own_exception:
	mov	r0, #0
	b	trap_own

	/* void vcpu_run(struct vcpu *): the caller's registers on the caller's stack; r3 keeps it
	   8-byte aligned. */
	.global	vcpu_run
vcpu_run:
	push	{r3-r11, lr}
	str	sp, [r0, #VCPU_HOST_SP]
	mov	sp, r0
	restore_rest
	restore_light
	eret

	/* Not the vCPU that was running: r0 is another one, or NULL. */
another_light:
	mov	r1, r0
	save_rest
	mov	r0, r1
another_full:
	cmp	r0, #0
	beq	leave
	mov	r4, r0
	mov	r1, r0
	mov	r0, sp
	bl	vcpu_switch
	mov	sp, r4
	restore_rest
	restore_light
	eret

leave:
	ldr	sp, [sp, #VCPU_HOST_SP]
	pop	{r3-r11, pc}
