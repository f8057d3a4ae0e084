/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that another one shares the core with, and that notices nothing (test_sched.py). It finds
 * its FP registers zero, fills every register with a value that neither the other VM nor a reset
 * has there, the CPU interface's too (GIC: 2 or 3), lets some turns pass, and compares. When a
 * comparison fails, it ends by an HVC of this register alone, as registers_armv7.S does: the label
 * is fail_<name>_<number>.
 */
#include "arch/psr.h"

	.syntax	unified
	.arch	armv7ve
	.arch_extension virt
	.fpu	neon-vfpv4
	.arm

#ifndef SPOIL
#define SPOIL				/* a planted fault: instructions behind the wait */
#endif

#define HC_EXIT 0x86000002
#define EXIT_DONE 0
#define EXIT_UNKNOWN 99
#define WAIT_TICKS 0x40000
#define GICD 0x08000000
#define GICC 0x08010000
#define SGI 3
#define PRIORITY 0x48
#define MASK 0xa8
#define FPEXC_EN (1 << 30)
#define FPSCR 0x48400008		/* ZC, IDC: what no arithmetic here sets */

#define P(n) ((0x01010101*(((n)+1)<<1))^0x9abcdef0)

	/* Name, opc1, CRn, CRm, opc2, value: what this guest leaves there. SCTLR: no MMU, Z set.
	   TTBCR without EAE: PRRR and NMRR lie where the other VM has MAIR0 and MAIR1. */
	.macro	each_register do
	\do	sctlr_el1, 0, c1, c0, 0, 0x00c50878
	\do	cpacr_el1, 0, c1, c0, 2, 0x00500000
	\do	tcr_el1, 0, c2, c0, 2, 3
	\do	dacr32_el2, 0, c3, c0, 0, 0x11223344
	\do	mair_el1, 0, c10, c2, 0, 0x22334455
	\do	mair1, 0, c10, c2, 1, 0x33445566
	\do	contextidr_el1, 0, c13, c0, 1, 0x44556677
	\do	vbar_el1, 0, c12, c0, 0, vectors
	\do	esr_el1, 0, c5, c0, 0, 0x00001405
	\do	ifsr32_el2, 0, c5, c0, 1, 0x00001407
	\do	far_el1, 0, c6, c0, 0, 0x66778899
	\do	ifar, 0, c6, c0, 2, 0x778899aa
	\do	tpidr_el0, 0, c13, c0, 2, 0x8899aabb
	\do	tpidrro_el0, 0, c13, c0, 3, 0x99aabbcc
	\do	tpidr_el1, 0, c13, c0, 4, 0xaabbccdd
	\do	csselr_el1, 2, c0, c0, 0, 2
	\do	cntkctl_el1, 0, c14, c1, 0, 2
	\do	cntv_ctl_el0, 0, c14, c3, 1, 3
	\do	cntp_ctl_el0, 0, c14, c2, 1, 3
	.endm

	/* Name, opc1, CRm, low word, high word. */
	.macro	each_wide_register do
	\do	cntv_cval_el0, 3, c14, 0xffffff01, 0x7fffffff
	\do	cntp_cval_el0, 2, c14, 0xffffff02, 0x7fffffff
	\do	ttbr0_el1, 0, c2, 0x55667700, 0x11
	\do	ttbr1_el1, 1, c2, 0x66778800, 0x22
	\do	par_el1, 0, c7, 0x778899aa, 0x33
	.endm

	.macro	each_banked_register do
	\do	sp_usr, 0x10203040
	\do	lr_usr, 0x10203041
	\do	sp_abt, 0x20304050
	\do	lr_abt, 0x20304051
	\do	spsr_abt, 0x60000010
	\do	sp_und, 0x30405060
	\do	lr_und, 0x30405061
	\do	spsr_und, 0x50000010
	\do	sp_irq, 0x40506070
	\do	lr_irq, 0x40506071
	\do	spsr_irq, 0x70000010
	\do	r8_fiq, 0x50607080
	\do	r9_fiq, 0x50607081
	\do	r10_fiq, 0x50607082
	\do	r11_fiq, 0x50607083
	\do	r12_fiq, 0x50607084
	\do	sp_fiq, 0x50607085
	\do	lr_fiq, 0x50607086
	\do	spsr_fiq, 0x90000010
	.endm

	.macro	fail_if condition, name
	b\condition fail_\name\()_\@
	.pushsection .text, 1
fail_\name\()_\@:
	ldr	r0, =HC_EXIT
	mov	r1, #EXIT_UNKNOWN
	hvc	#0
	.popsection
	.endm

	.macro	set name, op1, CRn, CRm, op2, value
	ldr	r0, =\value
	mcr	p15, \op1, r0, \CRn, \CRm, \op2
	.endm

	.macro	verify name, op1, CRn, CRm, op2, value
	mrc	p15, \op1, r0, \CRn, \CRm, \op2
	ldr	r1, =\value
	cmp	r0, r1
	fail_if	ne, \name
	.endm

	.macro	set_wide name, op1, CRm, low, high
	ldr	r0, =\low
	ldr	r1, =\high
	mcrr	p15, \op1, r0, r1, \CRm
	.endm

	.macro	verify_wide name, op1, CRm, low, high
	mrrc	p15, \op1, r0, r1, \CRm
	ldr	r2, =\low
	cmp	r0, r2
	ldreq	r2, =\high
	cmpeq	r1, r2
	fail_if	ne, \name
	.endm

	.macro	set_banked name, value
	ldr	r0, =\value
	msr	\name, r0
	.endm

	.macro	verify_banked name, value
	mrs	r0, \name
	ldr	r1, =\value
	cmp	r0, r1
	fail_if	ne, \name
	.endm

	.text
	.global	_start
_start:	.asciz	"HYPBENCH-GUEST1"		/* struct guest_header */
	.word	_start, 0, entry, 0, image_end - _start, 0, image_end, 0

	.balign	32
vectors:
	.rept	8
	fail_if	al, exception
	.endr

entry:
	mov	r0, #(0xf << 20)
	mcr	p15, 0, r0, c1, c0, 2		/* CPACR */
	isb
	vmrs	r0, fpexc
	cmp	r0, #0
	fail_if	ne, fpexc_not_zero
	mov	r0, #FPEXC_EN
	vmsr	fpexc, r0

	/* Zero in the beginning, whatever the last guest left. */
	ldr	r2, =snapshot
	bl	store_vectors
	mov	r3, #64
	mov	r4, #0
1:	ldr	r5, [r2], #4
	orr	r4, r4, r5
	subs	r3, r3, #1
	bne	1b
	vmrs	r5, fpscr
	orrs	r4, r4, r5
	fail_if	ne, fp_not_zero

	/* The CPU interface: a priority mask, and an interrupt that stays active. */
	ldr	r1, =GICD
	mov	r0, #PRIORITY
	strb	r0, [r1, #0x400 + SGI]
	mov	r0, #1
	str	r0, [r1]
	ldr	r2, =GICC
	str	r0, [r2]
	mov	r0, #MASK
	str	r0, [r2, #4]
	ldr	r0, =(2 << 24 | SGI)
	str	r0, [r1, #0xf00]
	ldr	r0, [r2, #0xc]
	cmp	r0, #SGI
	fail_if	ne, sgi

	/* Its own values. */
	ldr	r2, =pattern
	vldmia	r2!, {d0-d15}
	vldmia	r2!, {d16-d31}
	ldr	r0, =FPSCR
	vmsr	fpscr, r0
	each_register set
	isb
	each_wide_register set_wide
	each_banked_register set_banked
	ldr	r0, =0x30000010
	msr	spsr_cxsf, r0
	ldr	sp, =snapshot
	msr	cpsr_f, #(1 << 27)		/* Q */
	.irp	n, 3,4,5,6,7,8,9,10,11,12,14
	ldr	r\n, =P(\n)
	.endr
	mrrc	p15, 0, r2, r1, c14		/* CNTPCT */
	add	r2, r2, #WAIT_TICKS

	/* A loop that changes nothing but r0, r1 and flags. */
2:	mrrc	p15, 0, r0, r1, c14
	subs	r0, r0, r2
	bmi	2b
	SPOIL

	/* What is left of them. */
	.irp	n, 3,4,5,6,7,8,9,10,11,12,14
	str	r\n, [sp, #4 * \n]
	.endr
	mrs	r0, cpsr
	ldr	r1, =(0x080001c0 | PSR_MODE_SVC)
	ldr	r2, =0x0f0001ff
	and	r0, r0, r2
	cmp	r0, r1
	fail_if	ne, cpsr
	ldr	r1, =snapshot
	cmp	sp, r1
	fail_if	ne, sp_svc
	.irp	n, 3,4,5,6,7,8,9,10,11,12
	ldr	r0, [sp, #4 * \n]
	ldr	r1, =P(\n)
	cmp	r0, r1
	fail_if	ne, r\n
	.endr
	ldr	r0, [sp, #4 * 14]
	ldr	r1, =P(14)
	cmp	r0, r1
	fail_if	ne, lr_svc
	mrs	r0, spsr
	ldr	r1, =0x30000010
	cmp	r0, r1
	fail_if	ne, spsr_svc
	each_register verify
	each_wide_register verify_wide
	each_banked_register verify_banked
	vmrs	r0, fpexc
	cmp	r0, #FPEXC_EN
	fail_if	ne, fpexc
	vmrs	r0, fpscr
	ldr	r1, =FPSCR
	cmp	r0, r1
	fail_if	ne, fpscr
	ldr	r2, =snapshot
	bl	store_vectors
	ldr	r1, =pattern
	mov	r3, #64
3:	ldr	r4, [r1], #4
	ldr	r5, [r2], #4
	cmp	r4, r5
	fail_if	ne, fp
	subs	r3, r3, #1
	bne	3b

	ldr	r2, =GICC
	ldr	r0, [r2, #4]
	cmp	r0, #MASK
	fail_if	ne, vmcr
	ldr	r0, [r2, #0x14]
	cmp	r0, #PRIORITY
	fail_if	ne, apr

	ldr	r0, =HC_EXIT
	mov	r1, #EXIT_DONE
	hvc	#0
	.ltorg

store_vectors:
	mov	r3, r2
	vstmia	r3!, {d0-d15}
	vstmia	r3!, {d16-d31}
	bx	lr

	.balign	16
pattern:
	.set	i, 0
	.rept	64
	.word	0x5a000001 + i * 0x010101
	.set	i, i + 1
	.endr
	.balign	16
snapshot:
	.skip	512

	.text	2
	.balign	16
image_end:
