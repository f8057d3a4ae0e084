/* SPDX-License-Identifier: Apache-2.0 */
/* EL0 code that the kernel calls (guest/el0.h), and its exceptions. */
#include "arch/esr.h"

#define CALL_FRAME 96		/* the kernel's callee-saved registers, while EL0 runs */
#define FAULT_FRAME 160		/* of EL0, what C may change */
#define PSTATE_EL0_MASKED 0x3c0	/* EL0, AArch64, interrupts masked */
#define VECTOR_EL0_SYNC 0x400

	.text
	/* void el0_call(entry, window, address, delay): its SVC returns to the caller. */
	.global	el0_call
el0_call:
	stp	x19, x20, [sp, #-CALL_FRAME]!
	stp	x21, x22, [sp, #16]
	stp	x23, x24, [sp, #32]
	stp	x25, x26, [sp, #48]
	stp	x27, x28, [sp, #64]
	stp	x29, x30, [sp, #80]
	mov	x4, #PSTATE_EL0_MASKED
	msr	spsr_el1, x4
	msr	elr_el1, x0
	mov	x0, x1
	mov	x1, x2
	mov	x2, x3
	eret

	/* The synchronous exceptions of EL0, from guest_vectors_el0. */
	.global	el0_exception
el0_exception:
	stp	x0, x1, [sp, #-FAULT_FRAME]!
	mrs	x1, esr_el1
	lsr	x0, x1, #ESR_EC_SHIFT
	cmp	x0, #EC_SVC64
	b.eq	el0_return
	cmp	x0, #EC_DABT_LOW
	b.ne	el0_crash
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x16, x17, [sp, #128]
	stp	x18, x30, [sp, #144]
	mrs	x0, far_el1
	bl	el0_data_abort
	tbz	w0, #0, el0_crash
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldp	x8, x9, [sp, #64]
	ldp	x10, x11, [sp, #80]
	ldp	x12, x13, [sp, #96]
	ldp	x14, x15, [sp, #112]
	ldp	x16, x17, [sp, #128]
	ldp	x18, x30, [sp, #144]
	ldp	x0, x1, [sp], #FAULT_FRAME
	eret

el0_return:
	add	sp, sp, #FAULT_FRAME
	ldp	x21, x22, [sp, #16]
	ldp	x23, x24, [sp, #32]
	ldp	x25, x26, [sp, #48]
	ldp	x27, x28, [sp, #64]
	ldp	x29, x30, [sp, #80]
	ldp	x19, x20, [sp], #CALL_FRAME
	ret

el0_crash:
	mov	x0, #VECTOR_EL0_SYNC
	b	exception_unexpected

/* x0 = struct el0_window, x1 = address, x2 = delay; ends by SVC. */
	.macro	window name, load, delayed
	.global	\name
\name:
	isb
	mrs	x3, cntpct_el0
	isb
	.if	\load
	ldr	w4, [x1]
	.endif
	.if	\delayed
1:	subs	x2, x2, #2
	b.ne	1b
	.endif
	isb
	mrs	x5, cntpct_el0
	isb
	stp	x3, x5, [x0]
	svc	#0
	.endm

	.section .el0_text, "ax"
	window	el0_nothing, 0, 0
	window	el0_nothing_delayed, 0, 1
	window	el0_load, 1, 0
	window	el0_load_delayed, 1, 1
