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
#include "abi/probe.h"
#include "arch/trap_frame.h"
#include "hyp/arch/vectors.h"

	.arch	armv7ve
	.arm

#define HSR_HVC_0 (0x12 << 26 | 1 << 25) /* HVC #0: EC, IL; any other goes the long way */
#define TRAP_UNSTAMPED 1 /* hyp/trap.h */
#define VCPU_HOST_SP TRAP_FRAME_SIZE
#define VCPU_EXIT_START (TRAP_FRAME_SIZE + 8)

	/* No isb before a stamp: exception entry synchronises the context (DDI 0406C A3.8.3). The
	   probed one has a nop there: each of its stamps is four instructions long, with the store.
	   delay_el2 lies within what the exit statistics count, and before the first probe. */
	.macro save_light kind, delayed
	push	{r0-r3, r12, lr}
	.if	\kind == VECTORS_COUNTED || \kind == VECTORS_TRACED
	mrrc	p15, 0, r2, r3, c14
	strd	r2, r3, [sp, #VCPU_EXIT_START]
	.endif
	.if	\delayed
	spin
	.endif
	.if	\kind == VECTORS_PROBED
	nop
	mrrc	p15, 0, r2, r3, c14
	.endif
	.endm

	.macro restore_light written
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
	ldr	r2, =vector_delay
	ldr	r2, [r2]
99:	subs	r2, r2, #2
	bne	99b
	.endm

	/* trap_irq_probed stamps, but for the last one; behind an interrupt of the hypervisor's own
	   it returns TRAP_UNSTAMPED, and the stamps stay those of the guest's. */
	.macro exit_probed full
	.if	\full
	save_rest
	.endif
	mov	r0, sp
	bl	trap_irq_probed
	cmp	sp, r0
	bne	2f
	isb
	mrrc	p15, 0, r2, r3, c14
	mrc	p15, 4, r0, c13, c0, 2		/* HTPIDR */
	strd	r2, r3, [r0, #PROBE_ERET]
1:	.if	\full
	restore_rest
	.endif
	restore_light
	eret
2:	cmp	r0, #TRAP_UNSTAMPED
	beq	1b
	.if	\full
	b	another_full
	.else
	b	another_light
	.endif
	.endm

	/* other: where to go on when C returns another vCPU, or NULL */
	.macro call handler, full, other
	mov	r0, sp
	bl	\handler
	cmp	sp, r0
	.if	\full
	bne	\other\()_full
	.else
	bne	\other\()_light
	.endif
	.endm

	/* As exit_light (exits.inc), and `count` accounts for it. */
	.macro exit_counted handler, full, count, written
	.if	\full
	save_rest
	.endif
	call	\handler, \full, leaving_counted
	ldrd	r0, r1, [sp, #VCPU_EXIT_START]
	bl	\count
	.if	\full
	restore_rest
	.endif
	restore_light
	eret
	.endm

#include "hyp/arch/common/exits.inc"

	/* One vector table and the exits behind it. */
	.macro vector_table name, kind, full, delayed
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
	save_light \kind, \delayed
	exit_irq \kind, \full

\name\()_trap:
	.if	\kind == VECTORS_PROBED
	save_light VECTORS_PLAIN, \delayed
	.else
	save_light \kind, \delayed
	.endif
	mrc	p15, 4, r1, c5, c2, 0		/* HSR */
	cmp	r1, #HSR_HVC_0
	bne	1f
	mov	r1, r0				/* trap_hvc is given the id */
	exit_sync hvc, \kind, \full, written
1:	exit_sync sync, \kind, 1
	.endm

	.text
#define X(name, kind, full, delayed) vector_table name, kind, full, delayed;
	VECTOR_TABLES(X)
#undef X

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
leaving_counted_light:
	ldrd	r2, r3, [sp, #VCPU_EXIT_START]
	bl	trap_count_leaving
another_light:
	mov	r1, r0
	save_rest
	mov	r0, r1
	b	another_full
leaving_counted_full:
	ldrd	r2, r3, [sp, #VCPU_EXIT_START]
	bl	trap_count_leaving
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
