/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instrumented vector tables (hyp/arch/vectors.h): exits as in vectors.S that are counted,
 * traced, probed or delayed, read every list register, or take the full frame always.
 */
#include "abi/probe.h"
#include "hyp/arch/armv8/frame.inc"
#include "hyp/arch/vectors.h"

#define ARG0 x0
#define ARG1 x1

	/* The first registers; the begin of the exit for the statistics; the delay, which lies
	   within what they count and before the first probe. No isb before a stamp: exception entry
	   synchronises the context (DDI 0487 D1.13). */
	.macro enter kind
	stp	x0, x1, [sp, #-TRAP_FRAME_SIZE]!
	.if	\kind == VECTORS_COUNTED || \kind == VECTORS_TRACED
	mrs	x1, cntpct_el0
	str	x1, [sp, #VCPU_EXIT_START]
	.endif
	.if	\kind != VECTORS_PLAIN
	nop
	ldr	x1, [sp, #VCPU_EXIT_DELAY]
	.if	\kind != VECTORS_DELAYED
	cbz	x1, 98f
	.endif
99:	subs	x1, x1, #2
	b.ne	99b
98:
	.endif
	.endm

	.macro resume frame, written
	.ifc	\frame, full
	restore_rest
	.endif
	.ifb	\written
	restore_light
	.else
	restore_result
	.endif
	eret
	.endm

	.macro stamp_eret
	mrs	x1, cntpct_el0
	mrs	x0, tpidr_el2
	str	x1, [x0, #PROBE_ERET]
	.endm

	/* One vector table. With light frames an entry has the room for all of its exit; what takes
	   the full frame stands after all tables, in subsection 1. With a nop, each of the four
	   stamps is four instructions long, with the store. */
	.macro vector_table name, kind, frame, irq, sync
	.balign	0x800
	.global	\name
\name:
	.irp	n, 0, 1, 2, 3, 0, 1, 2, 3	/* from EL2 itself: with SP_EL0, with SP_EL2 */
	.balign 0x80; mov x0, #\n; b hyp_exception
	.endr
	.org	\name + 0x400			/* from the guest, AArch64 */
	.ifc	\frame, full
	b	\name\()_sync
	.subsection 1
	.endif
\name\()_sync:
	enter	\kind
	mrs	x1, esr_el2
	save_light
	lsr	x1, x1, #26
	cmp	x1, #EC_HVC64
	b.ne	9f
	mov	x1, x0
	exit_sync hvc, \kind, \frame, \sync, written
	.subsection 0
	.org	\name + 0x480			/* an error where the entry has no room */
	.ifc	\frame, full
	b	\name\()_irq
	.subsection 1
	.endif
\name\()_irq:
	enter	\kind
	.if	\kind == VECTORS_PROBED
	nop
	mrs	x1, cntpct_el0
	.endif
	save_light
	exit_irq \kind, \frame, \irq
	.subsection 0
	.org	\name + 0x500; b \name\()_irq	/* FIQ: no source is configured; taken as IRQ */
	.balign 0x80; b guest_serror
	.balign 0x80; b \name\()_sync	/* from the guest, AArch32 EL0 */
	.balign 0x80; b \name\()_irq
	.balign 0x80; b \name\()_irq
	.balign 0x80; b guest_serror

	.subsection 1
9:	exit_sync sync, \kind, full, \sync
	.subsection 0
	.endm

#include "hyp/arch/common/exits.inc"
