/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that another one shares the core with, and that notices nothing (test_sched.py). It finds
 * its FP registers zero, fills every register with a value that neither the other VM nor a reset
 * has there, the CPU interface's too (GIC: 2 or 3), lets some turns pass, and compares. When a
 * comparison fails, it ends by an HVC of this register alone, as registers_armv8.S does: the label
 * is fail_<name>_<number>.
 */
#ifndef SPOIL
#define SPOIL				/* a planted fault: instructions behind the wait */
#endif

#define HC_EXIT 0x86000002
#define EXIT_DONE 0
#define EXIT_UNKNOWN 99
#define WAIT_TICKS 0x40000
#define GICD 0x08000000
#define GICC 0x08010000
#define GICR_SGI 0x080b0000
#define SGI 3
#define PRIORITY 0x48
#define MASK 0xa8

#define P(n) ((0x0101010101010101*(((n)+1)<<1))^0x123456789abcdef0)
#define NZCV 0xa0000000

	/* Name, value: what this guest leaves there. SCTLR: no MMU, UCT and UCI set. */
	.macro	each_register do
	\do	sctlr_el1, 0x34d08800
	\do	cpacr_el1, 0x100000
	\do	ttbr0_el1, 0x1122334455667700
	\do	ttbr1_el1, 0x2233445566778800
	\do	tcr_el1, 0x35203520
	\do	mair_el1, 0x33445566778899aa
	\do	contextidr_el1, 0x44556677
	\do	vbar_el1, vectors
	\do	esr_el1, 0x56000001
	\do	far_el1, 0x66778899aabbccdd
	\do	elr_el1, 0x778899aabbccddee
	\do	spsr_el1, 0x900003c5
	\do	sp_el0, 0x8899aabbccddeef0
	\do	par_el1, 0x99aabbccddeeff00
	\do	tpidr_el0, 0xaabbccddeeff0011
	\do	tpidrro_el0, 0xbbccddeeff001122
	\do	tpidr_el1, 0xccddeeff00112233
	\do	csselr_el1, 2
	\do	cntkctl_el1, 0x2
	\do	cntv_cval_el0, 0x7fffffffffffff01
	\do	cntv_ctl_el0, 3
	\do	cntp_cval_el0, 0x7fffffffffffff02
	\do	cntp_ctl_el0, 3
	.endm

	.macro	fail_if condition, name
	b.\condition fail_\name\()_\@
	.pushsection .text, 1
fail_\name\()_\@:
	ldr	x0, =HC_EXIT
	mov	x1, #EXIT_UNKNOWN
	hvc	#0
	.popsection
	.endm

	.macro	set name, value
	ldr	x0, =\value
	msr	\name, x0
	.endm

	.macro	verify name, value
	mrs	x0, \name
	ldr	x1, =\value
	cmp	x0, x1
	fail_if	ne, \name
	.endm

	.text
	.global	_start
_start:	.asciz	"HYPBENCH-GUEST1"		/* struct guest_header */
	.quad	_start, entry, image_end - _start, image_end

	.balign	0x800
vectors:
	.rept	16
	fail_if	al, exception
	.balign	0x80
	.endr

entry:
	mov	x0, #(3 << 20)
	msr	cpacr_el1, x0
	isb

	/* Zero in the beginning, whatever the last guest left. */
	ldr	x2, =snapshot
	bl	store_vectors
	mov	x3, #64
	mov	x4, #0
1:	ldr	x5, [x2], #8
	orr	x4, x4, x5
	subs	x3, x3, #1
	b.ne	1b
	cmp	x4, #0
	fail_if	ne, fp_not_zero
	mrs	x4, fpcr
	mrs	x5, fpsr
	orr	x4, x4, x5
	cmp	x4, #0
	fail_if	ne, fpcr_not_zero

	/* The CPU interface: a priority mask, and an interrupt that stays active. */
	ldr	x1, =GICD
	mov	w0, #PRIORITY
#if GIC == 2
	strb	w0, [x1, #0x400 + SGI]
	mov	w0, #1
	str	w0, [x1]
	ldr	x2, =GICC
	str	w0, [x2]
	mov	w0, #MASK
	str	w0, [x2, #4]
	ldr	w0, =(2 << 24 | SGI)
	str	w0, [x1, #0xf00]
	ldr	w0, [x2, #0xc]
#else
	ldr	x2, =GICR_SGI
	strb	w0, [x2, #0x400 + SGI]
	mov	w0, #-1
	str	w0, [x2, #0x80]
	mov	w0, #(1 << SGI)
	str	w0, [x2, #0x100]
	mov	w0, #0x12
	str	w0, [x1]
	mov	x0, #MASK
	msr	s3_0_c4_c6_0, x0		/* ICC_PMR_EL1 */
	mov	x0, #1
	msr	s3_0_c12_c12_7, x0		/* ICC_IGRPEN1_EL1 */
	isb
	ldr	x0, =(SGI << 24 | 1)
	msr	s3_0_c12_c11_5, x0		/* ICC_SGI1R_EL1 */
	isb
	mrs	x0, s3_0_c12_c12_0		/* ICC_IAR1_EL1 */
#endif
	cmp	w0, #SGI
	fail_if	ne, sgi

	/* Its own values. */
	ldr	x2, =pattern
	bl	load_vectors
	mov	x0, #0x400000
	msr	fpcr, x0
	mov	x0, #0x8
	msr	fpsr, x0
	each_register set
	isb
	ldr	x0, =snapshot
	mov	sp, x0
	ldr	x0, =NZCV
	msr	nzcv, x0
	.irp	n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,30
	ldr	x\n, =P(\n)
	.endr
	mrs	x29, cntpct_el0
	add	x29, x29, #WAIT_TICKS

	/* A loop that changes nothing but x0. */
2:	mrs	x0, cntpct_el0
	sub	x0, x0, x29
	tbnz	x0, #63, 2b
	SPOIL

	/* What is left of them. */
	.irp	n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,30
	str	x\n, [sp, #8 * \n]
	.endr
	mrs	x0, nzcv
	ldr	x1, =NZCV
	cmp	x0, x1
	fail_if	ne, nzcv
	mov	x0, sp
	ldr	x1, =snapshot
	cmp	x0, x1
	fail_if	ne, sp_el1
	.irp	n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,30
	ldr	x0, [sp, #8 * \n]
	ldr	x1, =P(\n)
	cmp	x0, x1
	fail_if	ne, x\n
	.endr
	each_register verify
	mrs	x0, currentel
	cmp	x0, #(1 << 2)
	fail_if	ne, currentel
	mrs	x0, daif
	cmp	x0, #0x3c0
	fail_if	ne, daif
	mrs	x0, fpcr
	mov	x1, #0x400000
	cmp	x0, x1
	fail_if	ne, fpcr
	mrs	x0, fpsr
	cmp	x0, #8
	fail_if	ne, fpsr
	ldr	x2, =snapshot
	bl	store_vectors
	ldr	x1, =pattern
	mov	x3, #64
3:	ldr	x4, [x1], #8
	ldr	x5, [x2], #8
	cmp	x4, x5
	fail_if	ne, fp
	subs	x3, x3, #1
	b.ne	3b

#if GIC == 2
	ldr	x2, =GICC
	ldr	w0, [x2, #4]
	ldr	w1, [x2, #0x14]
#else
	mrs	x0, s3_0_c4_c6_0		/* ICC_PMR_EL1 */
	mrs	x1, s3_0_c12_c11_3		/* ICC_RPR_EL1 */
#endif
	cmp	w0, #MASK
	fail_if	ne, vmcr
	cmp	w1, #PRIORITY
	fail_if	ne, apr

	ldr	x0, =HC_EXIT
	mov	x1, #EXIT_DONE
	hvc	#0
	.ltorg

	/* All vector registers from or to x2. */
	.macro	all_vectors op
	mov	x3, x2
	\op	{v0.2d-v3.2d}, [x3], #64
	\op	{v4.2d-v7.2d}, [x3], #64
	\op	{v8.2d-v11.2d}, [x3], #64
	\op	{v12.2d-v15.2d}, [x3], #64
	\op	{v16.2d-v19.2d}, [x3], #64
	\op	{v20.2d-v23.2d}, [x3], #64
	\op	{v24.2d-v27.2d}, [x3], #64
	\op	{v28.2d-v31.2d}, [x3], #64
	.endm

store_vectors:
	all_vectors st1
	ret

load_vectors:
	all_vectors ld1
	ret

	.balign	16
pattern:
	.set	i, 0
	.rept	64
	.quad	0x5a00000000000000 + i * 0x0000010001000101 + 1
	.set	i, i + 1
	.endr
	.balign	16
snapshot:
	.skip	512

	.text	2
	.balign	16
image_end:
