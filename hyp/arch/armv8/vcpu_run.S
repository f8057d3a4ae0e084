/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry from C into the guest, the exit to C, and the switch from one vCPU to another, for all
 * vector tables. The rest of a light frame, which C preserves, is saved only if C returns another
 * vCPU.
 */
#include "hyp/arch/armv8/frame.inc"

	.text
	/*
	 * struct vcpu *vcpu_run(struct vcpu *): the caller's registers are saved on the caller's
	 * stack.
	 */
	.global	vcpu_run
vcpu_run:
	stp	x19, x20, [sp, #-TRAP_FRAME_SIZE]!
	pairs	stp, 21, 23, 25, 27, 29
	mov	x1, sp
	adrp	x2, vcpu_host_sp
	str	x1, [x2, :lo12:vcpu_host_sp]
	mov	sp, x0
.Lresume_full:
	restore_full
	eret

	/* C returned another vCPU in x0, or NULL. */
	.section .text.another, "ax"
	.global	another_light, another_full
another_light:
	complete_light
another_full:
	cbz	x0, leave
	mov	x19, x0
	mov	x1, sp
	bl	vcpu_switch
	mov	sp, x19
	restore_full
	eret

	.text
	.global	vcpu_leave
vcpu_leave:
	mov	sp, x0
leave:
	mov	x0, sp
	adrp	x1, vcpu_host_sp
	ldr	x1, [x1, :lo12:vcpu_host_sp]
	mov	sp, x1
	pairs	ldp, 21, 23, 25, 27, 29
	ldp	x19, x20, [sp], #TRAP_FRAME_SIZE
	ret

	.global	guest_serror
guest_serror:
	stp	x0, x1, [sp, #-TRAP_FRAME_SIZE]!
	pairs	stp, 2, 4
	save_rest
	mov	x0, sp
	bl	trap_serror
	cmp	sp, x0
	b.ne	another_full
	b	.Lresume_full
