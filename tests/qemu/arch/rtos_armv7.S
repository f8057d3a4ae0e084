/* SPDX-License-Identifier: Apache-2.0 */
/* As rtos_armv8.S. Interrupts are handled in Supervisor mode, on the task's stack. */
#define STACK 0x100000 /* after the vectors */

	.syntax	unified
	.arch	armv7ve
	.arch_extension virt
	.arm
	.text
	.balign	32
vectors:	/* the others lead nowhere */
	.rept	6
	b	.
	.endr
	sub	lr, lr, #4
	srsdb	sp!, #0x13
	cps	#0x13
	push	{r0-r12, lr}
	mov	r0, sp
	bl	on_irq
	mov	sp, r0
	pop	{r0-r12, lr}
	rfeia	sp!

	.global	_start
_start:
	adr	r0, vectors
	mcr	p15, 0, r0, c12, c0, 0
	add	sp, r0, #STACK
	isb
	bl	first_main
	b	.

	.global	psci
psci:
	hvc	#0
	bx	lr
