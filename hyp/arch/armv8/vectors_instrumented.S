/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instrumented vector tables (hyp/arch/vectors.h): the exits of vectors.S with counts, trace,
 * probes or delays, with a read of every list register, or always with the full frame.
 */
#include "abi/probe.h"
#include "hyp/arch/armv8/frame.inc"
#include "hyp/arch/vectors.h"

#define ARG0 x0
#define ARG1 x1

	/* Save the first registers, take the exit's begin for the statistics, and spin the delay,
	 * which lies within the counted time and before the first probe. The stamp needs no isb:
	 * exception entry synchronises the context (DDI 0487 D1.13). */
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

	/* `returned` and `leave_or_stay` take as many instructions as these steps of vectors.S. */
	.macro returned frame
	.ifc	\frame, full
	ldr	x30, [sp, #TRAP_FRAME_X(30)]
	.endif
	.endm

	.macro leave_or_stay where, frame
	.ifc	\frame, full
	b.eq	97f
	b	\where
97:
	.else
	b.ne	\where
	.endif
	.endm

	.macro resume frame, written
	.ifc	\frame, full
	restore_pairs
	.else
	.ifb	\written
	restore_light
	.else
	restore_result
	.endif
	.endif
	eret
	.endm

	.macro stamp_eret
	mrs	x1, cntpct_el0
	mrs	x0, tpidr_el2
	str	x1, [x0, #PROBE_ERET]
	.endm

	/* One vector table. With light frames an entry has room for its whole exit; exits with the
	 * full frame stand after all tables, in subsection 1. With a nop, each of the four stamps
	 * has four instructions, including the store. */
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
	pairs	stp, 2, 4
	lsr	x1, x1, #26
	cmp	x1, #EC_HVC64
	b.ne	9f
	stp	x16, x30, [sp, #TRAP_FRAME_LIGHT]
	mov	x1, x0
	exit_sync hvc, \kind, \frame, \sync, written
	.subsection 0
	.org	\name + 0x480 /* the assembler reports an error if the entry is too long */
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
