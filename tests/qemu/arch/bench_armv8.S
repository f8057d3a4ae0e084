/* SPDX-License-Identifier: Apache-2.0 */
/* As bench_armv7.S. Registers are x0 to x30, SP, SP_EL0, NZCV. */
#include "abi/guest_run.h"
#include "guest/arch/armv8/frame.inc"

#define SLOT_SP (8 * 31)
#define SLOT_SP_EL0 (8 * 32)
#define SLOT_NZCV (8 * 33)
#define STUB_FRAME 96
#define STUB_GAP 64		/* a stub may change SP by that much */
#define STUB_WORDS 16

	.text
	.global	_start
_start:	.ascii	GUEST_HEADER_MAGIC "\0"
	.quad	_start, entry, _edata - _start, _end

entry:	adr	x1, vectors
	msr	vbar_el1, x1
	adr	x1, stack_end
	mov	sp, x1
	bl	bench_main
	b	.

	.macro	registers op
	\op	x2, x3, [x0, #8 * 2]
	\op	x4, x5, [x0, #8 * 4]
	\op	x6, x7, [x0, #8 * 6]
	\op	x8, x9, [x0, #8 * 8]
	\op	x10, x11, [x0, #8 * 10]
	\op	x12, x13, [x0, #8 * 12]
	\op	x14, x15, [x0, #8 * 14]
	\op	x16, x17, [x0, #8 * 16]
	\op	x18, x19, [x0, #8 * 18]
	\op	x20, x21, [x0, #8 * 20]
	\op	x22, x23, [x0, #8 * 22]
	\op	x24, x25, [x0, #8 * 24]
	\op	x26, x27, [x0, #8 * 26]
	.endm

	.global	vectors, stub_run, stub_code, stub_end, stub_in, stub_seen
stub_run:
	stp	x19, x20, [sp, #-STUB_FRAME]!
	callee_registers stp
	stp	x29, x30, [sp, #80]
	sub	sp, sp, #STUB_GAP
	adr	x0, stub_in
	mov	x1, sp
	str	x1, [x0, #SLOT_SP]
	ldr	x1, [x0, #SLOT_SP_EL0]
	msr	sp_el0, x1
	ldr	x1, [x0, #SLOT_NZCV]
	msr	nzcv, x1
	registers ldp
	ldp	x28, x29, [x0, #8 * 28]
	ldr	x30, [x0, #8 * 30]
	ldp	x0, x1, [x0]
stub_code:
	.rept	STUB_WORDS
	nop
	.endr
stub_end:
	stp	x0, x1, [sp, #-16]!
	adr	x0, stub_seen
	registers stp
	stp	x28, x29, [x0, #8 * 28]
	str	x30, [x0, #8 * 30]
	mrs	x1, nzcv
	str	x1, [x0, #SLOT_NZCV]
	mrs	x1, sp_el0
	str	x1, [x0, #SLOT_SP_EL0]
	ldp	x1, x2, [sp], #16
	stp	x1, x2, [x0]
	mov	x1, sp
	str	x1, [x0, #SLOT_SP]
	adr	x0, stub_in
	ldr	x1, [x0, #SLOT_SP]
	add	sp, x1, #STUB_GAP
	callee_registers ldp
	ldp	x29, x30, [sp, #80]
	ldp	x19, x20, [sp], #STUB_FRAME
	ret

irq:	stp	x0, x1, [sp, #-CALLER_FRAME]!
	caller_registers stp
	bl	on_irq
	caller_registers ldp
	mrs	x0, elr_el1
	add	x0, x0, #4
	msr	elr_el1, x0
	ldp	x0, x1, [sp], #CALLER_FRAME
	eret

	.balign	0x800
vectors:
	.set	offset, 0
	.rept	16
	.balign	0x80
	.if	offset == 0x80 || offset == 0x280
	b	irq
	.else
	mov	x0, #offset
	adr	x1, stack_end
	mov	sp, x1
	b	on_exception
	.endif
	.set	offset, offset + 0x80
	.endr

	.data
	.balign	16
stub_in: .space	8 * 34
stub_seen: .space 8 * 34
	.space	4096
stack_end:
