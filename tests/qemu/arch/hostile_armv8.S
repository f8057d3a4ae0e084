/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks, exception vectors and calls; for arch/hostile.c. */
#define STACKS 0x42000000 /* each vCPU's grows down from a page of its own */
#include "wrong.h"

#define UNDEFINED 0x00
#define DATA_ABORT 0x25

	.macro begin
	adr	x1, vectors
	msr	vbar_el1, x1
	mrs	x0, mpidr_el1
	and	x0, x0, #3
	mov	x1, #STACKS
	add	x1, x1, x0, lsl #12
	mov	sp, x1
	isb
	.endm

	.text
	.global	_start
_start:
	begin
	bl	first_main
	b	.

	/* Wherever a vCPU begins here. */
	.global	sled
sled:
	.rept	SLED_WORDS
	nop
	.endr
	begin
	bl	second_main
	b	.

	.global	psci_hvc
psci_hvc:
	hvc	#0
	ret

	.global	psci_smc
psci_smc:
	smc	#0
	ret

	/* An access that is not aligned, a register that is not there: left out. */
sync:
	stp	x0, x1, [sp, #-16]!
	mrs	x0, esr_el1
	lsr	x0, x0, #26
	cmp	x0, #DATA_ABORT
	ccmp	x0, #UNDEFINED, #4, ne
	b.ne	wrong
	mrs	x0, elr_el1
	add	x0, x0, #4
	msr	elr_el1, x0
	ldp	x0, x1, [sp], #16
	eret

wrong:
	mov	x1, #WRONG
	ldrb	w0, [x1], #1
	b	.

	.macro	taken, fast
	stp	x0, x1, [sp, #-192]!
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x16, x17, [sp, #128]
	stp	x18, x30, [sp, #144]
	mrs	x0, elr_el1
	mrs	x1, spsr_el1
	stp	x0, x1, [sp, #160]
	mov	w0, #\fast
	bl	interrupt
	ldp	x0, x1, [sp, #160]
	msr	elr_el1, x0
	msr	spsr_el1, x1
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldp	x8, x9, [sp, #64]
	ldp	x10, x11, [sp, #80]
	ldp	x12, x13, [sp, #96]
	ldp	x14, x15, [sp, #112]
	ldp	x16, x17, [sp, #128]
	ldp	x18, x30, [sp, #144]
	ldp	x0, x1, [sp], #192
	eret
	.endm

irq:
	taken	0
fiq:
	taken	1

	.balign	2048
vectors:
	.irp	target, wrong, wrong, wrong, wrong, sync, irq, fiq, wrong
	b	\target
	.balign	128
	.endr
	.rept	8
	b	wrong
	.balign	128
	.endr
	.ltorg
