/* SPDX-License-Identifier: Apache-2.0 */
/* Exits to HYP mode and the return, without instrumentation. In guest context SP_hyp points to the
 * end of the light part of the running vCPU's frame, so sp points to the struct vcpu
 * (hyp/vcpu/vcpu.h) as soon as that part is pushed. C returns the vCPU to resume: the same one,
 * another one, or NULL. */
#include "hyp/arch/armv7/frame.inc"

	.section .text.vectors, "ax"
	.balign	32
	.global	vectors
vectors:
	b	own_exception			/* reset, which never enters HYP mode */
	b	own_exception			/* from HYP mode itself: undefined instruction, */
	b	own_exception			/* HVC, */
	b	own_exception			/* prefetch abort, */
	b	own_exception			/* data abort */
	b	vectors_trap			/* from the guest: HVC, traps, aborts */
	b	vectors_irq
	b	vectors_irq /* FIQ: no source is configured, so treat it as an IRQ */

vectors_irq:
	push	{r0-r3, r12, lr}
	mov	r0, sp
	bl	trap_irq
	cmp	sp, r0
	bne	another_light
	pop	{r0-r3, r12, lr}
	eret
	.balign	64

	/* linker/hot.ld.inc places trap_irq here: the exit of an interrupt is contiguous */
	.section .text.vectors_rest, "ax"
	.global	vectors_rest, vectors_rest_most
	.set	vectors_rest_most, 0x100
	.balign	64
vectors_rest:
vectors_trap:
	push	{r0-r3, r12, lr}
	mrc	p15, 4, r1, c5, c2, 0		/* HSR */
	cmp	r1, #HSR_HVC_0
	bne	vectors_full_trap
	mov	r1, r0				/* id of the hypercall */
	mov	r0, sp
	bl	trap_hvc
	.global	vectors_hvc_return
vectors_hvc_return:
	cmp	sp, r0
	bne	another_light
	pop	{r0-r3, r12, lr}
	eret

vectors_full_trap:
	save_rest
	mov	r0, sp
	bl	trap_sync
	cmp	sp, r0
	bne	another_full
	restore_rest
	pop	{r0-r3, r12, lr}
	eret
