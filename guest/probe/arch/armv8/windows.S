/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The windows of guest/probe/windows.h, and the exceptions they end in. An interrupt returns by
 * RET, not ERET: the vector's first instruction is the closing read, and the window's function goes
 * on after its wait, masked, on the same stack. So a window saves nothing.
 *
 * In the window of an interrupt: x9 = struct probe_window, x10 = return address, x11 = delay, x12 =
 * first read, x8 = last read. HVC and SMC may change x0-x17 (DEN 0028 2.6): in the other windows
 * these are x19 to x22.
 */
#define PSCI_VERSION 0x84000000
#define EC_SHIFT 26

	/* 2 instructions a round, and 2 before: `count` of them, even, 4 at least. */
	.macro	delay, count
	sub	\count, \count, #2
	nop
1:	subs	\count, \count, #2
	b.ne	1b
	.endm

	.macro	opening_read
	isb
	mrs	x21, cntvct_el0
	isb
	.endm

	.macro	closing_read, delayed
	isb
	.if	\delayed
	delay	x20
	.endif
	mrs	x22, cntvct_el0
	isb
	.endm

	.macro	enter
	stp	x19, x20, [sp, #-32]!
	stp	x21, x22, [sp, #16]
	mov	x19, x0
	mov	x20, x1
	cbnz	x1, 2f
	.endm

	.macro	leave
	stp	x21, x22, [x19]
	ldp	x21, x22, [sp, #16]
	ldp	x19, x20, [sp], #32
	ret
	.endm

	.macro	call_arguments
	mov	x0, x2
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	.endm

#define LOAD_WORD ldr w0, [x2]
#include "guest/probe/arch/common/windows.inc"

	/* Choose the vectors with a delay of x11 instructions before the closing read, or the
	 * plain ones. */
	.macro	choose_vectors, delay
	mov	x11, \delay
	adrp	x8, probe_vectors
	add	x8, x8, :lo12:probe_vectors
	cbz	x11, 1f
	add	x8, x8, #0x800
1:	msr	vbar_el1, x8
	isb
	.endm

	/* SGIs are sent with interrupts let in; the vector comes back to `landed`. */
	.macro	sgi_window, name, write
	.global	\name
\name:
	choose_vectors x1
	mov	x9, x0
	mov	x10, x30
	adr	x30, 3f
	msr	daifclr, #2
	isb
	mrs	x12, cntvct_el0
	\write
2:	b	2b
3:	stp	x12, x8, [x9]
	ret	x10
	.endm
	sgi_window window_sgi_gicv2, "str w3, [x2]"
	sgi_window window_sgi_gicv3, "msr s3_0_c12_c11_5, x2"

	.macro	wait, name, instruction
	.global	\name
\name:
	choose_vectors x0
	mov	x10, x30
	adr	x30, 3f
	msr	daifclr, #2
	isb
2:	\instruction
	b	2b
3:	mov	x0, x8
	ret	x10
	.endm
	wait	wait_busy
	wait	wait_asleep, wfi

	/* While TPIDR_EL1 is set, an exception means "undefined" and goes on there. */
	.global	smc_defined
smc_defined:
	adr	x8, 1f
	msr	tpidr_el1, x8
	isb
	mov	x0, #PSCI_VERSION & 0xffff
	movk	x0, #PSCI_VERSION >> 16, lsl #16
	smc	#0
	msr	tpidr_el1, xzr
	mov	w0, #1
	ret
1:	msr	tpidr_el1, xzr
	mov	w0, #0
	ret

	.global	exception_level
exception_level:
	mrs	x0, currentel
	lsr	x0, x0, #2
	ret

	.macro	unexpected, offset
	.balign	0x80
	mov	x0, #\offset
	b	unexpected_exception
	.endm

	.macro	vector_table, delayed
	unexpected 0x000
	unexpected 0x080
	unexpected 0x100
	unexpected 0x180
	.balign	0x80
	mrs	x8, tpidr_el1		/* synchronous */
	cbz	x8, 1f
	br	x8
1:	mov	x0, #0x200
	b	unexpected_exception
	.balign	0x80			/* IRQ */
	.if	\delayed
	delay	x11
	.endif
	mrs	x8, cntvct_el0
	ret
	unexpected 0x300
	unexpected 0x380
	unexpected 0x400
	unexpected 0x480
	unexpected 0x500
	unexpected 0x580
	unexpected 0x600
	unexpected 0x680
	unexpected 0x700
	unexpected 0x780
	.endm

unexpected_exception:
	mrs	x1, esr_el1
	mrs	x2, elr_el1
	b	probe_crash

	.section .text.vectors, "ax"
	.balign	0x800
	.global	probe_vectors
	.hidden	probe_vectors
probe_vectors:
	vector_table 0
	.balign	0x800
	vector_table 1
