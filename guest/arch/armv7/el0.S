/* SPDX-License-Identifier: Apache-2.0 */
/* PL0 code that the kernel calls (guest/kernel/el0.h), and its exceptions. */
	.arch	armv7ve
	.arm

#define MODE_SVC 0x13
#define PSR_USER_MASKED 0x1d0	/* User mode, ARM code, interrupts masked */
#define PSR_MODE_LOW 0xf	/* 0 in User mode only */
#define VECTOR_DATA 0x10
#define FAULT_LR 24		/* offset in data_abort's stack: after r0-r3, r12, LR_svc */
#define FAULT_PSR 28

	.text
	/* void el0_call(entry, window, address, delay): its SVC returns to the caller. r3 keeps the
	   stack 8-byte aligned. */
	.global	el0_call
el0_call:
	push	{r3-r11, lr}
	mov	r12, #PSR_USER_MASKED
	msr	spsr_cxsf, r12
	mov	lr, r0
	mov	r0, r1
	mov	r1, r2
	mov	r2, r3
	movs	pc, lr

	/* guest_vectors_el0 branches here for an SVC. */
	.global	el0_return
el0_return:
	mrs	r0, spsr
	tst	r0, #PSR_MODE_LOW
	bne	unexpected_svc
	pop	{r3-r11, pc}

	/* A data abort. Abort mode has no stack, so Supervisor mode's stack is used. */
	.global	el0_fault
el0_fault:
	srsdb	sp!, #MODE_SVC
	cps	#MODE_SVC
	push	{r0-r3, r12, lr}
	ldr	r0, [sp, #FAULT_PSR]
	tst	r0, #PSR_MODE_LOW
	bne	el0_crash
	mrc	p15, 0, r0, c6, c0, 0	/* DFAR */
	mrc	p15, 0, r1, c5, c0, 0	/* DFSR */
	bl	el0_data_abort
	cmp	r0, #0
	beq	el0_crash
	ldr	r0, [sp, #FAULT_LR]
	sub	r0, r0, #8		/* return to the aborted instruction itself */
	str	r0, [sp, #FAULT_LR]
	pop	{r0-r3, r12, lr}
	rfeia	sp!

el0_crash:
	ldr	lr, [sp, #FAULT_LR]
	mov	r0, #VECTOR_DATA
	b	exception_unexpected

#define READ_FIRST mrrc p15, 0, r4, r5, c14	/* CNTPCT */
#define LOAD_WORD ldr r3, [r1]
#define DELAY r2
#define READ_LAST mrrc p15, 0, r6, r7, c14
#define STORE_READS stm r0, {r4-r7}
#include "guest/arch/common/el0_windows.inc"
