/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exits to EL2 and the way back. This file saves, calls, restores; it decides nothing but which
 * frame to take: an IRQ and a hypercall take the light one.
 *
 * In guest context SP_EL2 points just behind the running vCPU's frame, so the frame is pushed
 * where it lives, and sp is then the struct vcpu that C is given (hyp/vcpu.h). C returns the vCPU
 * to resume: the same one, another one, or NULL to return from vcpu_run(). Only for another one is
 * the rest of a light frame saved, which C has left as it was.
 */
#include "abi/probe.h"
#include "arch/trap_frame.h"
#include "hyp/arch/vectors.h"

#define EC_HVC64 0x16
#define TRAP_UNSTAMPED 1 /* hyp/trap.h */
#define VCPU_HOST_SP TRAP_FRAME_SIZE
#define VCPU_EXIT_START (TRAP_FRAME_SIZE + 16)

	/* No isb before a stamp: exception entry synchronises the context (DDI 0487 D1.13). The
	   probed one has a nop there: each of its stamps is four instructions long, with the store.
	   delay_el2 lies within what the exit statistics count, and before the first probe. */
	.macro save_light kind, delayed, esr
	stp	x0, x1, [sp, #-TRAP_FRAME_SIZE]!
	.if	\kind == VECTORS_COUNTED || \kind == VECTORS_TRACED
	mrs	x1, cntpct_el0
	str	x1, [sp, #VCPU_EXIT_START]
	.endif
	.if	\delayed
	spin
	.endif
	.if	\kind == VECTORS_PROBED
	nop
	mrs	x1, cntpct_el0
	.endif
	.ifnb	\esr
	mrs	\esr, esr_el2			/* takes a while: the stores go on meanwhile */
	.endif
	stp	x2, x3, [sp, #TRAP_FRAME_X(2)]
	stp	x4, x5, [sp, #TRAP_FRAME_X(4)]
	stp	x6, x7, [sp, #TRAP_FRAME_X(6)]
	stp	x16, x17, [sp, #TRAP_FRAME_X(16)]
	str	x30, [sp, #TRAP_FRAME_X(30)]
	.endm

	/* written: C has stored x0 alone. A load of x0 and x1 together would wait until the store
	   is in the cache: few cores forward a part of what is loaded. */
	.macro restore_light written
	.ifnb	\written
	ldr	x0, [sp], #TRAP_FRAME_X(2)
	ldur	x1, [sp, #TRAP_FRAME_X(1) - TRAP_FRAME_X(2)]
	ldp	x4, x5, [sp, #TRAP_FRAME_X(4) - TRAP_FRAME_X(2)]
	ldp	x6, x7, [sp, #TRAP_FRAME_X(6) - TRAP_FRAME_X(2)]
	ldp	x16, x17, [sp, #TRAP_FRAME_X(16) - TRAP_FRAME_X(2)]
	ldr	x30, [sp, #TRAP_FRAME_X(30) - TRAP_FRAME_X(2)]
	ldp	x2, x3, [sp], #TRAP_FRAME_SIZE - TRAP_FRAME_X(2)
	.else
	ldp	x2, x3, [sp, #TRAP_FRAME_X(2)]
	ldp	x4, x5, [sp, #TRAP_FRAME_X(4)]
	ldp	x6, x7, [sp, #TRAP_FRAME_X(6)]
	ldp	x16, x17, [sp, #TRAP_FRAME_X(16)]
	ldr	x30, [sp, #TRAP_FRAME_X(30)]
	ldp	x0, x1, [sp], #TRAP_FRAME_SIZE
	.endif
	.endm

	/* What a full frame holds besides: C keeps x19-x29 and leaves x8-x15 and x18 alone, but
	   emulation reads and writes any register, and it does so in the frame. */
	.macro save_rest
	stp	x8, x9, [sp, #TRAP_FRAME_X(8)]
	stp	x10, x11, [sp, #TRAP_FRAME_X(10)]
	stp	x12, x13, [sp, #TRAP_FRAME_X(12)]
	stp	x14, x15, [sp, #TRAP_FRAME_X(14)]
	stp	x18, x19, [sp, #TRAP_FRAME_X(18)]
	stp	x20, x21, [sp, #TRAP_FRAME_X(20)]
	stp	x22, x23, [sp, #TRAP_FRAME_X(22)]
	stp	x24, x25, [sp, #TRAP_FRAME_X(24)]
	stp	x26, x27, [sp, #TRAP_FRAME_X(26)]
	stp	x28, x29, [sp, #TRAP_FRAME_X(28)]
	.endm

	.macro restore_rest
	ldp	x8, x9, [sp, #TRAP_FRAME_X(8)]
	ldp	x10, x11, [sp, #TRAP_FRAME_X(10)]
	ldp	x12, x13, [sp, #TRAP_FRAME_X(12)]
	ldp	x14, x15, [sp, #TRAP_FRAME_X(14)]
	ldp	x18, x19, [sp, #TRAP_FRAME_X(18)]
	ldp	x20, x21, [sp, #TRAP_FRAME_X(20)]
	ldp	x22, x23, [sp, #TRAP_FRAME_X(22)]
	ldp	x24, x25, [sp, #TRAP_FRAME_X(24)]
	ldp	x26, x27, [sp, #TRAP_FRAME_X(26)]
	ldp	x28, x29, [sp, #TRAP_FRAME_X(28)]
	.endm

	/* delay_el2: with the two loads, exactly as many instructions as configured. */
	.macro spin
	adrp	x1, vector_delay
	ldr	x1, [x1, :lo12:vector_delay]
99:	subs	x1, x1, #2
	b.ne	99b
	.endm

	/* trap_irq_probed stamps, but for the last one; behind an interrupt of the hypervisor's own
	   it returns TRAP_UNSTAMPED, and the stamps stay those of the guest's. */
	.macro exit_probed full
	.if	\full
	save_rest
	.endif
	mov	x0, sp
	bl	trap_irq_probed
	cmp	sp, x0
	b.ne	2f
	isb
	mrs	x1, cntpct_el0
	mrs	x0, tpidr_el2
	str	x1, [x0, #PROBE_ERET]
1:	.if	\full
	restore_rest
	.endif
	restore_light
	eret
2:	cmp	x0, #TRAP_UNSTAMPED
	b.eq	1b
	.if	\full
	b	another_full
	.else
	b	another_light
	.endif
	.endm

	/* other: where to go on when C returns another vCPU, or NULL */
	.macro call handler, full, other
	mov	x0, sp
	bl	\handler
	cmp	sp, x0
	.if	\full
	b.ne	\other\()_full
	.else
	b.ne	\other\()_light
	.endif
	.endm

	/* As exit_light (exits.inc), and `count` accounts for it. */
	.macro exit_counted handler, full, count, written
	.if	\full
	save_rest
	.endif
	call	\handler, \full, leaving_counted
	ldr	x0, [sp, #VCPU_EXIT_START]
	bl	\count
	.if	\full
	restore_rest
	.endif
	restore_light \written
	eret
	.endm

#include "hyp/arch/common/exits.inc"

	.macro entry target
	.balign	0x80
	b	\target
	.endm

	.macro from_guest_irq kind, full, delayed
	save_light \kind, \delayed
	exit_irq \kind, \full
	.endm

	.macro from_guest_sync kind, full, delayed
	.if	\kind == VECTORS_PROBED
	save_light VECTORS_PLAIN, \delayed, x1
	.else
	save_light \kind, \delayed, x1
	.endif
	lsr	x1, x1, #26
	cmp	x1, #EC_HVC64
	b.ne	9f
	mov	x1, x0				/* trap_hvc is given the id */
	exit_sync hvc, \kind, \full, written
	.endm

	/* One vector table. With light frames an entry has the room for all of its exit (32
	   instructions), but for what needs the full frame. */
	.macro vector_table name, kind, full, delayed
	.balign	0x800
	.global	\name
\name:
	entry	own_sync			/* from EL2 itself, with SP_EL0 */
	entry	own_irq
	entry	own_fiq
	entry	own_serror
	entry	own_sync			/* from EL2 itself */
	entry	own_irq
	entry	own_fiq
	entry	own_serror
	.if	\full
	entry	\name\()_sync			/* from the guest, AArch64 */
	entry	\name\()_irq
	.else
	.org	\name + 0x400
\name\()_sync:
	from_guest_sync \kind, 0, \delayed
	.org	\name + 0x480			/* an error where the entry has no room */
\name\()_irq:
	from_guest_irq \kind, 0, \delayed
	.org	\name + 0x500
	.endif
	entry	\name\()_irq			/* FIQ: nothing signals one; taken as IRQ */
	entry	guest_serror
	entry	\name\()_sync			/* from the guest, AArch32 EL0 */
	entry	\name\()_irq
	entry	\name\()_irq
	entry	guest_serror

	.if	\full
\name\()_irq:
	from_guest_irq \kind, 1, \delayed
\name\()_sync:
	from_guest_sync \kind, 1, \delayed
	.endif
9:	exit_sync sync, \kind, 1
	.endm

	.text
#define X(name, kind, full, delayed) vector_table name, kind, full, delayed;
	VECTOR_TABLES(X)
#undef X

guest_serror:
	save_light VECTORS_PLAIN, 0
	exit_light trap_serror, 1

own_sync:
	mov	x0, #0
	b	trap_own
own_irq:
	mov	x0, #1
	b	trap_own
own_fiq:
	mov	x0, #2
	b	trap_own
own_serror:
	mov	x0, #3
	b	trap_own

	/* void vcpu_run(struct vcpu *): the caller's registers on the caller's stack. */
	.global	vcpu_run
vcpu_run:
	stp	x19, x20, [sp, #-96]!
	stp	x21, x22, [sp, #16]
	stp	x23, x24, [sp, #32]
	stp	x25, x26, [sp, #48]
	stp	x27, x28, [sp, #64]
	stp	x29, x30, [sp, #80]
	mov	x1, sp
	str	x1, [x0, #VCPU_HOST_SP]
	mov	sp, x0
	restore_rest
	restore_light
	eret

	/* Not the vCPU that was running: x0 is another one, or NULL. */
leaving_counted_light:
	ldr	x1, [sp, #VCPU_EXIT_START]
	bl	trap_count_leaving
another_light:
	save_rest
	b	another_full
leaving_counted_full:
	ldr	x1, [sp, #VCPU_EXIT_START]
	bl	trap_count_leaving
another_full:
	cbz	x0, leave
	mov	x19, x0
	mov	x1, x0
	mov	x0, sp
	bl	vcpu_switch
	mov	sp, x19
	restore_rest
	restore_light
	eret

leave:
	ldr	x1, [sp, #VCPU_HOST_SP]
	mov	sp, x1
	ldp	x21, x22, [sp, #16]
	ldp	x23, x24, [sp, #32]
	ldp	x25, x26, [sp, #48]
	ldp	x27, x28, [sp, #64]
	ldp	x29, x30, [sp, #80]
	ldp	x19, x20, [sp], #96
	ret
