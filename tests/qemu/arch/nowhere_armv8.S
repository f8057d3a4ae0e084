/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An unmodified guest that probes where nothing is, by load, store, fetch and stage-1 walk, at EL1
 * and at EL0, and looks at the exception that it takes. What is wrong stops the VM with the line.
 * Defines: the syndromes that it expects at EL1: SYNDROME, of a load; FETCH; WALK;
 * and 0 for FAR, SPSR and PSTATE, the handler's, where it is to find them right.
 */
#include "wrong.h"

#define UART 0x09000000
#define NOWHERE 0x0a000000
#define SYSTEM_OFF 0x84000008
#define HIGH 0xffffffff80000000 /* an address that TTBR1 translates */
#define WNR (1 << 6)
#define EL0 (-(1 << 26)) /* the class of EL0 comes before EL1's */
#define EL1H 0x5
#define EL1T 0x4
#define FLAGS 0xa0000000
#define MASKED 0x3c0
#define TABLE 0x41000000

	/* x0: where; the instruction aborts, and the handler comes back behind it. */
	.macro	aborts vector, syndrome, far, spsr, insn:vararg
	adr	x28, 8f
	adr	x25, 7f
	mov	x1, #FLAGS
	msr	nzcv, x1
7:	\insn
	bl	wrong_here
8:	ldr	x1, =\vector
	ldr	x2, =(\syndrome) & 0xffffffff
	ldr	x3, =\far
	ldr	x4, =\spsr
	bl	check
	.endm

	/* The same at EL0, of code at `label`. */
	.macro	aborts_el0 vector, syndrome, far, spsr, label
	adr	x28, 8f
	adr	x25, \label
	mov	x1, #\spsr
	msr	spsr_el1, x1
	msr	elr_el1, x25
	eret
8:	ldr	x1, =\vector
	ldr	x2, =(\syndrome) & 0xffffffff
	ldr	x3, =\far
	ldr	x4, =\spsr
	bl	check
	.endm

	.globl	_start
_start:
	adr	x1, vectors
	msr	vbar_el1, x1
	msr	daifclr, #0xf
	ldr	x0, =NOWHERE
	aborts	0x200, SYNDROME, NOWHERE, FLAGS | EL1H, ldr w5, [x0]
	aborts	0x200, SYNDROME, NOWHERE + 3, FLAGS | EL1H, ldrb w5, [x0, #3]
	aborts	0x200, SYNDROME, NOWHERE, FLAGS | EL1H, ldp x5, x6, [x0], #16
	aborts	0x200, SYNDROME | WNR, NOWHERE + 8, FLAGS | EL1H, str x5, [x0, #8]
	aborts	0x200, SYNDROME | WNR, NOWHERE, FLAGS | EL1H, stp w5, w6, [x0]
	msr	spsel, #0
	aborts	0x000, SYNDROME, NOWHERE, FLAGS | EL1T, ldr w5, [x0]
	mov	x25, x0
	adr	x28, 1f
	msr	nzcv, xzr
	br	x0
1:	mov	x1, #0x200
	ldr	x2, =FETCH
	mov	x3, x0
	mov	x4, #EL1H
	bl	check
	dc	civac, x0		/* nothing to maintain */
	ic	ivau, x0

	aborts_el0 0x400, SYNDROME + EL0, NOWHERE, 0, load
	aborts_el0 0x400, (SYNDROME | WNR) + EL0, NOWHERE + 4, 0, store
	aborts_el0 0x600, SYNDROME + EL0, NOWHERE, 0x10, load_arm
	aborts_el0 0x600, SYNDROME + EL0, NOWHERE + 4, 0x30, load_thumb
	adr	x28, 1f
	mov	x25, x0
	msr	spsr_el1, xzr
	msr	elr_el1, x0
	eret
1:	mov	x1, #0x400
	ldr	x2, =(FETCH + EL0) & 0xffffffff
	mov	x3, x0
	mov	x4, #0
	bl	check

	/* Walks: RAM as it is by TTBR0, and TTBR1 leads nowhere. */
	ldr	x1, =TABLE
	ldr	x2, =0x401		/* a block: AF */
	str	x2, [x1]
	ldr	x2, =0x40000401
	str	x2, [x1, #8]
	msr	ttbr0_el1, x1
	msr	ttbr1_el1, x0
	mov	x2, #0x44		/* Normal, not cached */
	msr	mair_el1, x2
	ldr	x2, =32 | 25 << 16 | 2 << 30 /* TG1: 4 KiB */
	msr	tcr_el1, x2
	isb
	mrs	x2, sctlr_el1
	orr	x2, x2, #1
	msr	sctlr_el1, x2
	isb
	ldr	x0, =HIGH
	aborts	0x200, WALK, HIGH, FLAGS | EL1H, ldr w5, [x0]
	aborts	0x200, WALK | WNR, HIGH, FLAGS | EL1H, str w5, [x0]

	ldr	x0, =UART
	adr	x1, well
1:	ldrb	w2, [x1]
	add	x1, x1, #1
	cbz	w2, 2f
	str	w2, [x0]
	b	1b
2:	ldr	w0, =SYSTEM_OFF
	hvc	#0
	b	.

	/* x25: where the exception was; x1 to x4: vector, ESR, FAR and SPSR as they should be */
check:
	add	x3, x3, #FAR
	add	x4, x4, #SPSR
	cmp	x20, x1
	b.ne	wrong_here
	cmp	x21, x2
	b.ne	wrong_here
	cmp	x22, x3
	b.ne	wrong_here
	cmp	x23, x25
	b.ne	wrong_here
	cmp	x24, x4
	b.ne	wrong_here
	mov	x4, #MASKED + PSTATE
	cmp	x26, x4
	b.ne	wrong_here
	cmp	x27, #1			/* SP_EL1 */
	b.ne	wrong_here
	msr	daifclr, #0xf
	ret

wrong_here:
	adr	x1, _start
	sub	x1, x30, x1
	mov	x0, #WRONG
	add	x0, x0, x1
	ldrb	w1, [x0], #1
	ldr	w0, =SYSTEM_OFF		/* where the distributor is the guest's own */
	hvc	#0
	b	.

load:	ldr	w5, [x0]
store:	str	w5, [x0, #4]
load_arm:
	.word	0xe5905000		/* ldr r5, [r0] */
load_thumb:
	.hword	0x6845			/* ldr r5, [r0, #4] */
	.balign	4
well:	.asciz	"as it should be\n"
	.ltorg

	.balign	0x800
vectors:
	.set	offset, 0
	.rept	16
	mov	x20, #offset
	b	exception
	.balign	0x80
	.set	offset, offset + 0x80
	.endr
exception:
	mrs	x21, esr_el1
	mrs	x22, far_el1
	mrs	x23, elr_el1
	mrs	x24, spsr_el1
	mrs	x26, daif
	mrs	x27, spsel
	br	x28
