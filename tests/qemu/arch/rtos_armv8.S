/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors and stack of arch/rtos.c. As in images of real-time systems, the first instruction to
 * run is not the first of the image. */
#define FRAME 272
#define STACK 0x100000 /* after the vectors */

	.macro	registers op
	\op	x2, x3, [sp, #16]
	\op	x4, x5, [sp, #32]
	\op	x6, x7, [sp, #48]
	\op	x8, x9, [sp, #64]
	\op	x10, x11, [sp, #80]
	\op	x12, x13, [sp, #96]
	\op	x14, x15, [sp, #112]
	\op	x16, x17, [sp, #128]
	\op	x18, x19, [sp, #144]
	\op	x20, x21, [sp, #160]
	\op	x22, x23, [sp, #176]
	\op	x24, x25, [sp, #192]
	\op	x26, x27, [sp, #208]
	\op	x28, x29, [sp, #224]
	.endm

	.text
	.balign	0x800
vectors:	/* IRQ of EL1h; the others lead nowhere */
	.org	vectors + 0x280
	stp	x0, x1, [sp, #-FRAME]!
	b	irq
	.org	vectors + 0x800

irq:
	registers stp
	mrs	x0, elr_el1
	mrs	x1, spsr_el1
	stp	x30, x0, [sp, #240]
	str	x1, [sp, #256]
	mov	x0, sp
	bl	on_irq
	mov	sp, x0
	ldr	x1, [sp, #256]
	ldp	x30, x0, [sp, #240]
	msr	spsr_el1, x1
	msr	elr_el1, x0
	registers ldp
	ldp	x0, x1, [sp], #FRAME
	eret

	.global	_start
_start:
	adr	x0, vectors
	msr	vbar_el1, x0
	mov	x1, #STACK
	add	sp, x0, x1
	isb
	bl	first_main
	b	.

	.global	psci
psci:
	hvc	#0
	ret
