/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instrumented vector tables (hyp/arch/vectors.h): the exits of vectors.S with counts, trace,
 * probes or delays, with a read of every list register, or always with the full frame.
 */
#include "abi/probe.h"
#include "hyp/arch/armv7/frame.inc"
#include "hyp/arch/vectors.h"

#define ARG0 r0
#define ARG1 r1

	/* Save the light frame, take the exit's begin for the statistics, and spin the delay, which
	 * lies within the counted time and before the first probe. The stamp needs no isb:
	 * exception entry synchronises the context (DDI 0406C A3.8.3). */
	.macro enter kind
	push	{r0-r3, r12, lr}
	.if	\kind == VECTORS_COUNTED || \kind == VECTORS_TRACED
	mrrc	p15, 0, r2, r3, c14
	strd	r2, r3, [sp, #VCPU_EXIT_START]
	.endif
	.if	\kind != VECTORS_PLAIN
	nop
	ldr	r2, [sp, #VCPU_EXIT_DELAY]
	.if	\kind != VECTORS_DELAYED
	cmp	r2, #0
	beq	98f
	.endif
99:	subs	r2, r2, #2
	bne	99b
98:
	.endif
	.endm

	.macro returned frame
	.endm

	.macro leave_or_stay where, frame
	bne	\where
	.endm

	.macro resume frame, written
	.ifc	\frame, full
	restore_rest
	.endif
	pop	{r0-r3, r12, lr}
	eret
	.endm

	.macro stamp_eret
	mrrc	p15, 0, r2, r3, c14
	mrc	p15, 4, r0, c13, c0, 2		/* HTPIDR */
	strd	r2, r3, [r0, #PROBE_ERET]
	.endm

	/* One vector table and its exits. With a nop, each of the four stamps has four
	 * instructions, including the store. */
	.macro vector_table name, kind, frame, irq, sync
	.balign	32
	.global	\name
\name:
	.rept	5			/* as in vectors.S */
	b	own_exception
	.endr
	b	\name\()_trap			/* from the guest: HVC, traps, aborts */
	b	\name\()_irq
	b	\name\()_irq /* FIQ: no source is configured, so treat it as an IRQ */

\name\()_irq:
	enter	\kind
	.if	\kind == VECTORS_PROBED
	nop
	mrrc	p15, 0, r2, r3, c14
	.endif
	exit_irq \kind, \frame, \irq

\name\()_trap:
	enter	\kind
	mrc	p15, 4, r1, c5, c2, 0		/* HSR */
	cmp	r1, #HSR_HVC_0
	bne	9f
	mov	r1, r0
	exit_sync hvc, \kind, \frame, \sync, written
9:	exit_sync sync, \kind, full, \sync
	.endm

#include "hyp/arch/common/exits.inc"
