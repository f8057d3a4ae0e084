/* SPDX-License-Identifier: Apache-2.0 */
/* Exits to EL2 and the return, without instrumentation. In guest context SP_EL2 points to the end
 * of the running vCPU's frame, so sp points to the struct vcpu (hyp/vcpu/vcpu.h) as soon as the
 * frame is pushed. C returns the vCPU to resume: the same one, another one, or NULL. */
#include "hyp/arch/armv8/frame.inc"

	.section .text.vectors, "ax"
	.balign	0x800
	.global	vectors
vectors:
	.irp	n, 0, 1, 2, 3, 0, 1, 2, 3	/* from EL2 itself: with SP_EL0, with SP_EL2 */
	.balign 0x80; mov x0, #\n; b hyp_exception
	.endr

	.org	vectors + 0x400			/* from the guest: a hypercall, or another class */
vectors_sync:
	stp	x0, x1, [sp, #-TRAP_FRAME_SIZE]!
	mrs	x1, esr_el2 /* this read is slow; the stores continue meanwhile */
	pairs	stp, 2, 4
	lsr	x1, x1, #26
	cmp	x1, #EC_HVC64
	b.eq	vectors_hvc
	save_rest
	mov	x0, sp
	bl	trap_sync
	ldr	x30, [sp, #TRAP_FRAME_X(30)]	/* loaded here: the other loads fit in a line */
	cmp	sp, x0
	b.eq	vectors_resume_full
	b	another_full

	.org	vectors + 0x480 /* the assembler reports an error if the entry is too long */
vectors_irq:
	stp	x0, x1, [sp, #-TRAP_FRAME_SIZE]!
	stp	x2, x3, [sp, #TRAP_FRAME_X(2)]
	stp	x4, x5, [sp, #TRAP_FRAME_X(4)]
	stp	x16, x30, [sp, #TRAP_FRAME_LIGHT]
	mov	x0, sp
	bl	trap_irq
	cmp	sp, x0
	b.ne	another_light
	ldp	x2, x3, [sp, #TRAP_FRAME_X(2)]
	ldp	x4, x5, [sp, #TRAP_FRAME_X(4)]
	ldp	x16, x30, [sp, #TRAP_FRAME_LIGHT]
	ldp	x0, x1, [sp], #TRAP_FRAME_SIZE
	eret

	.org	vectors + 0x4c0 /* in the second line of the entry */
vectors_hvc:
	stp	x16, x30, [sp, #TRAP_FRAME_LIGHT]
	mov	x1, x0				/* the id of the hypercall */
	mov	x0, sp
	bl	trap_hvc
	.global	vectors_hvc_return
vectors_hvc_return:
	cmp	sp, x0
	b.ne	another_light
	restore_result				/* C stored x0 alone */
	eret

	.org	vectors + 0x500; b vectors_irq	/* FIQ: no source is configured; taken as IRQ */

	/* linker/hot.ld.inc places trap_irq here: the exit of an interrupt is contiguous */
	.section .text.vectors_rest, "ax"
	.global	vectors_rest, vectors_rest_most
	.set	vectors_rest_most, 0x580
	.balign 0x80
vectors_rest:
	b	guest_serror
	.balign 0x80; b vectors_sync			/* from the guest, AArch32 EL0 */
	.balign 0x80; b vectors_irq
	.balign 0x80; b vectors_irq
	.balign 0x80; b guest_serror

	.balign	64
vectors_resume_full:
	restore_pairs
	eret
