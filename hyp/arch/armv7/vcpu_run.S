/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry from C into the guest, the exit to C, and the switch from one vCPU to another, for all
 * vector tables. The rest of a light frame, which C preserves, is saved only if C returns another
 * vCPU.
 */
#include "hyp/arch/armv7/frame.inc"

	.text
	/* struct vcpu *vcpu_run(struct vcpu *): the caller's registers are saved on the caller's
	 * stack, with r3 for its 8-byte alignment. */
	.global	vcpu_run
vcpu_run:
	push	{r3-r11, lr}
	movw	r1, #:lower16:vcpu_host_sp
	movt	r1, #:upper16:vcpu_host_sp
	str	sp, [r1]
	mov	sp, r0
	restore_rest
	pop	{r0-r3, r12, lr}
	eret

	/* C returned another vCPU in r0, or NULL. */
	.section .text.another, "ax"
	.global	another_light, another_full
another_light:
	mov	r1, r0
	save_rest
	mov	r0, r1
another_full:
	cmp	r0, #0
	beq	leave
	mov	r4, r0
	mov	r1, sp
	bl	vcpu_switch
	mov	sp, r4
	restore_rest
	pop	{r0-r3, r12, lr}
	eret

	.text
	.global	vcpu_leave
vcpu_leave:
	mov	sp, r0
leave:
	mov	r0, sp
	movw	r1, #:lower16:vcpu_host_sp
	movt	r1, #:upper16:vcpu_host_sp
	ldr	sp, [r1]
	pop	{r3-r11, pc}

	/* HSR has the class. Interrupts are masked in HYP mode, so no IRQ comes here. */
	.global	own_exception
own_exception:
	bic	sp, sp, #7	/* align sp for C: any instruction may fault */
	mov	r0, #0
	b	hyp_exception
