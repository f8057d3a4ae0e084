/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The windows of guest/probe/windows.h, and the exceptions that end them. An interrupt returns by
 * RET, not ERET: the vector's first instruction is the closing read, and the window's function
 * continues after its wait, with interrupts masked, on the same stack. So a window saves no
 * registers.
 *
 * In the window of an interrupt: x9 = struct probe_window, x10 = return address, x11 = delay, x12 =
 * first read, x8 = last read. HVC and SMC may change x0-x17 (DEN 0028 2.6), so the other windows
 * use x19 to x22.
 */
	.arch_extension fp

#define DELAY x20
#define CPACR_FPEN (3 << 20)
/* Turns of a wait for an interrupt, two instructions each: 2^25. */
#define WAIT_TURNS_HIGH 0x200

	/*
	 * Execute `count` instructions: 2 a round and 2 before the loop. `count` is even, and 4 at
	 * least.
	 */
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

	/* x2 = struct probe_call */
	.macro	call_arguments
	ldr	x16, [x2, #32]
	ldp	x0, x1, [x2]
	ldp	x2, x3, [x2, #16]
	.endm

	.macro	physical_read_opening
	mrs	x21, cntpct_el0
	.endm
	.macro	physical_read_closing
	mrs	x22, cntpct_el0
	.endm
	.macro	use_fp
	fmov	d31, x21
	.endm

#define LOAD_WORD ldr w0, [x2]
#include "guest/probe/arch/common/windows.inc"

	/* Choose the vectors with a delay of x11 instructions before the closing read, or those
	 * without a delay. */
	.macro	choose_vectors, delay
	mov	x11, \delay
	adrp	x8, probe_vectors
	add	x8, x8, :lo12:probe_vectors
	cbz	x11, 1f
	add	x8, x8, #0x800
1:	msr	vbar_el1, x8
	isb
	.endm

	/* An SGI is sent with interrupts unmasked. The vector returns to `landed`. */
	.macro	sgi_window, name, write
	.global	\name
\name:
	choose_vectors x1
	mov	x9, x0
	mov	x10, x30
	adr	x30, 3f
	movz	x13, #WAIT_TURNS_HIGH, lsl #16
	msr	daifclr, #2
	isb
	mrs	x12, cntvct_el0
	\write
2:	subs	x13, x13, #1
	b.ne	2b
	msr	daifset, #2
	mov	x12, #0			/* the interrupt did not come */
	mov	x8, #0
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
	movz	x13, #WAIT_TURNS_HIGH, lsl #16
	msr	daifclr, #2
	isb
2:	\instruction
	subs	x13, x13, #1
	b.ne	2b
	msr	daifset, #2
	mov	x8, #0			/* the interrupt did not come */
3:	mov	x0, x8
	ret	x10
	.endm
	wait	wait_busy
	wait	wait_asleep, wfi

	/* While TPIDR_EL1 is not 0, a synchronous exception continues at attempt_failed, with the
	 * stack pointer in TPIDR_EL1. */
	.global	attempt
attempt:
	stp	x19, x20, [sp, #-96]!
	stp	x21, x22, [sp, #16]
	stp	x23, x24, [sp, #32]
	stp	x25, x26, [sp, #48]
	stp	x27, x28, [sp, #64]
	stp	x29, x30, [sp, #80]
	mov	x8, sp
	msr	tpidr_el1, x8
	isb
	mov	x8, x0
	mov	x0, x1
	blr	x8
	mov	w0, #1
1:	msr	tpidr_el1, xzr
	isb
	ldp	x21, x22, [sp, #16]
	ldp	x23, x24, [sp, #32]
	ldp	x25, x26, [sp, #48]
	ldp	x27, x28, [sp, #64]
	ldp	x29, x30, [sp, #80]
	ldp	x19, x20, [sp], #96
	ret
attempt_failed:				/* x8 = the stack pointer */
	mov	sp, x8
	mov	w0, #0
	b	1b

	/*
	 * Read CNTPCT in a loop. x0 = struct probe_stamps, w1 = room for stamps, w2 = end, w3 =
	 * gap. Store both of two successive reads that are `gap` ticks or more apart. Return the
	 * number of pairs.
	 */
	.macro	busy, name, fp
	.global	\name
\name:
	mov	x9, x0
	mrs	x4, cntpct_el0
1:	mrs	x5, cntpct_el0
	.if	\fp
	fmov	d31, x5
	.endif
	sub	w6, w5, w4
	cmp	w6, w3
	b.hs	3f
	mrs	x4, cntpct_el0
	sub	w6, w4, w5
	cmp	w6, w3
	b.hs	4f
	sub	w6, w4, w2
	tbnz	w6, #31, 1b
2:	sub	x0, x0, x9
	lsr	w0, w0, #3
	ret
3:	stp	w4, w5, [x0], #8
	mov	x4, x5
	b	5f
4:	stp	w5, w4, [x0], #8
5:	subs	w1, w1, #1
	b.ne	1b
	b	2b
	.endm
	busy	busy_until, 0
	busy	busy_fp_until, 1

	.global	fp_enable
fp_enable:
	mrs	x0, cpacr_el1
	orr	x0, x0, #CPACR_FPEN
	msr	cpacr_el1, x0
	isb
	fmov	d31, xzr
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
	cbnz	x8, attempt_failed
	mov	x0, #0x200
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
