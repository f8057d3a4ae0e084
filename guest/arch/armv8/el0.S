/* SPDX-License-Identifier: Apache-2.0 */
/* EL0 code that the kernel calls (guest/kernel/el0.h), and its exceptions. */
#include "arch/esr.h"
#include "guest/arch/armv8/frame.inc"

#define CALL_FRAME 96		/* the kernel's callee-saved registers, while EL0 runs */
#define PSTATE_EL0_MASKED 0x3c0	/* EL0, AArch64, interrupts masked */
#define VECTOR_EL0_SYNC 0x400

	.text
	/* void el0_call(entry, window, address, delay): the SVC of EL0 returns to the caller. */
	.global	el0_call
el0_call:
	stp	x19, x20, [sp, #-CALL_FRAME]!
	callee_registers stp
	stp	x29, x30, [sp, #80]
	mov	x4, #PSTATE_EL0_MASKED
	msr	spsr_el1, x4
	msr	elr_el1, x0
	mov	x0, x1
	mov	x1, x2
	mov	x2, x3
	eret

	/* guest_vectors_el0 branches here for a synchronous exception of EL0. */
	.global	el0_exception
el0_exception:
	stp	x0, x1, [sp, #-CALLER_FRAME]!
	mrs	x1, esr_el1
	lsr	x0, x1, #ESR_EC_SHIFT
	cmp	x0, #EC_SVC64
	b.eq	el0_return
	cmp	x0, #EC_DABT_LOW
	b.ne	el0_crash
	caller_registers stp
	mrs	x0, far_el1
	bl	el0_data_abort
	tbz	w0, #0, el0_crash
	caller_registers ldp
	ldp	x0, x1, [sp], #CALLER_FRAME
	eret

el0_return:
	add	sp, sp, #CALLER_FRAME
	callee_registers ldp
	ldp	x29, x30, [sp, #80]
	ldp	x19, x20, [sp], #CALL_FRAME
	ret

el0_crash:
	mov	x0, #VECTOR_EL0_SYNC
	b	exception_unexpected

#define READ_FIRST mrs x3, cntpct_el0
#define LOAD_WORD ldr w4, [x1]
#define DELAY x2
#define READ_LAST mrs x5, cntpct_el0
#define STORE_READS stp x3, x5, [x0]
#include "guest/arch/common/el0_windows.inc"
