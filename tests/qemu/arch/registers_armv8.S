/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that looks at nothing but its registers: whatever exit it takes, and whatever register
 * an emulated access names, exactly what may change has changed (test_registers.py).
 *
 * A check is: fill every register with a pattern of its own, do one thing, take a snapshot, say
 * what is expected to differ from the patterns, compare. When a comparison fails, the guest ends
 * by an HVC of this check alone, so that the address in the fault record names the check: the
 * label is fail_<name>_<number>.
 */
#include "abi/guest_run.h"

/* A planted fault defines one of these otherwise. SPOIL: an instruction behind what is checked. */
#ifndef IIDR
#define IIDR 0x43b
#endif
#ifndef HVC_RESULT
#define HVC_RESULT 0
#endif
#ifndef SMC_RESULT
#define SMC_RESULT -1
#endif
#ifndef SPOIL
#define SPOIL
#endif

#define GICD_CTLR 0x000
#define GICD_IIDR 0x008
#define GICD_ISENABLER0 0x100
#define FIELD 0x420			/* priorities of INTIDs 32 to 39: eight bytes to write to */
#define GICR_IGROUPR0 0x10080
#define GICR_ISENABLER0 0x10100
#define GICC_CTLR 0x0
#define GICC_PMR 0x4
#define GICC_IAR 0xc
#define GICC_EOIR 0x10
#define ICC_PMR_EL1 s3_0_c4_c6_0
#define ICC_IAR1_EL1 s3_0_c12_c12_0
#define ICC_EOIR1_EL1 s3_0_c12_c12_1
#define ICC_SRE_EL1 s3_0_c12_c12_5
#define ICC_IGRPEN1_EL1 s3_0_c12_c12_7

#define TABLE_DEVICE 0x401		/* a block, its access flag; attribute 0 */
#define TABLE_NORMAL 0x004		/* attribute 1 */
#define TABLE_MAIR 0x4404		/* Device-nGnRE, Normal Non-cacheable */

#define HC_NULL 0x86000000		/* abi/hypercall.h; its enum is not for an assembler */
#define HC_RECORD 0x86000001
#define HC_EXIT 0x86000002
#define EXIT_UNKNOWN 99			/* no enum guest_exit */

/* A snapshot: x0 to x30 and then these, eight bytes each. */
#define SLOT_SP 31
#define SLOT_SP_EL0 32
#define SLOT_NZCV 33
#define SLOTS 34

/* Register n's pattern. Its bytes differ, and have nothing in the three bits that a priority does
   not keep. No blanks: they would end a macro's argument. */
#define P(n) ((0x0101010101010101*(((n)+1)<<3))^0x58a0c8187030e840)
#define LOW(n,bits) (P(n)&((1<<(bits))-1))
#define UNTOUCHED 0xf8f8f8f8f8f8f8f8	/* FIELD before a store */
#define KEPT(bits) (UNTOUCHED&~((1<<(bits))-1))

/* --- checks --- */

	/* Ends the guest where `condition` holds. */
	.macro	fail_if condition, name
	b.\condition fail_\name\()_\@
	.pushsection .text, 1
fail_\name\()_\@:
	ldr	x0, =HC_EXIT
	mov	x1, #EXIT_UNKNOWN
	hvc	#0
	.popsection
	.endm

	.macro	begin
	bl	fill
	ldr	x30, patterns + 8 * 30
	.endm

	.macro	end
	SPOIL
	stp	x29, x30, [sp, #-16]!
	bl	snapshot
	.endm

	/* Of the register or slot n; x19 = expected. */
	.macro	expect n, value
	ldr	x0, =\value
	str	x0, [x19, #8 * \n]
	.endm

	.macro	expect_variable n, variable
	ldr	x0, \variable
	str	x0, [x19, #8 * \n]
	.endm

	.macro	verify name
	bl	compare
	fail_if	ne, \name
	.endm

	/* A load into x\n or w\n, or into the zero register (n = zr). */
	.macro	load op, width, n, base, offset, value
	begin
	ldr	x\base, gicd
	add	x\base, x\base, #\offset
	\op	\width\n, [x\base]
	end
	ldr	x0, gicd
	add	x0, x0, #\offset
	str	x0, [x19, #8 * \base]
	.ifnc	\n, zr
	expect	\n, \value
	.endif
	verify	\op\()_\width\n
	.endm

	/* A store; value: what the eight bytes of FIELD hold then. */
	.macro	store op, width, n, base, offset, value
	bl	clear_field
	begin
	ldr	x\base, gicd
	add	x\base, x\base, #\offset
	\op	\width\n, [x\base]
	end
	ldr	x0, gicd
	add	x0, x0, #\offset
	str	x0, [x19, #8 * \base]
	verify	\op\()_\width\n
	field_is \value, \op\()_\width\n\()_stored
	.endm

	.macro	field_is value, name
	ldr	x0, gicd
	ldr	x0, [x0, #FIELD]
	ldr	x1, =\value
	cmp	x0, x1
	fail_if	ne, \name
	.endm

	.macro	set_field value
	ldr	x0, gicd
	ldr	x1, =\value
	str	x1, [x0, #FIELD]
	.endm

	/* HVC or SMC. */
	.macro	call instruction, function, result
	begin
	ldr	x0, =\function
	\instruction #0
	end
	expect	0, \result
	verify	\instruction
	.endm

	/* The timer's interrupt, taken at `b .`: the handler goes on behind it. spsel: the stack
	   pointer in use. first: an instruction before. */
	.macro	interrupt name, spsel, first
	bl	start_timer
	begin
	msr	spsel, #\spsel
	\first
	msr	daifclr, #2
	b	.
	msr	daifset, #2
	msr	spsel, #1
	end
	verify	\name
	.endm

/* --- the image --- */

	.text
	.global	_start
_start:
	.asciz	"HYPBENCH-GUEST1"		/* struct guest_header */
	.quad	_start, entry, image_end - _start, image_end

entry:
	ldr	x1, [x0, #GUEST_RUN_GICD]
	adr	x9, gicd
	str	x1, [x9]
	ldr	x2, [x0, #GUEST_RUN_GICC]
	str	x2, [x9, #8]
	ldr	w3, [x0, #GUEST_RUN_TIMER]
	str	x3, [x9, #16]
	adr	x4, vectors
	msr	vbar_el1, x4
	adr	x4, stack_end
	mov	sp, x4

	/* Flat: where stage 1 is off, gem5 reports an abort of stage 2 with FAR_EL2 = 0. */
	adr	x5, table
	lsr	x6, x5, #30
	ldr	x7, [x5, x6, lsl #3]
	orr	x7, x7, #TABLE_NORMAL
	str	x7, [x5, x6, lsl #3]
	ldr	x6, =TABLE_MAIR
	msr	mair_el1, x6
	ldr	x6, =(1 << 23 | 32)		/* TCR_EL1.EPD1, T0SZ: 4 GiB from TTBR0_EL1 */
	msr	tcr_el1, x6
	msr	ttbr0_el1, x5
	dsb	sy
	isb
	mrs	x6, sctlr_el1
	orr	x6, x6, #1
	msr	sctlr_el1, x6
	isb

	mov	w4, #3				/* group 0 of GICv2, group 1 of GICv3 */
	str	w4, [x1, #GICD_CTLR]
	mov	w4, #1
	lsl	w4, w4, w3
	cbz	x2, 1f

	str	w4, [x1, #GICD_ISENABLER0]
	mov	w4, #0xf0
	str	w4, [x2, #GICC_PMR]
	mov	w4, #1
	str	w4, [x2, #GICC_CTLR]
	b	2f

1:	ldr	x2, [x0, #GUEST_RUN_GICR]
	ldr	x5, =GICR_IGROUPR0		/* they begin in Group 0 */
	str	w4, [x2, x5]
	ldr	x5, =GICR_ISENABLER0
	str	w4, [x2, x5]
	mov	x4, #7
	msr	ICC_SRE_EL1, x4
	isb
	mov	x4, #0xf0
	msr	ICC_PMR_EL1, x4
	mov	x4, #1
	msr	ICC_IGRPEN1_EL1, x4
2:	mrs	x4, actlr_el1
	str	x4, [x9, #24]
	isb

/* --- every register as the data register of an emulated access --- */

	.irp	n, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
		23, 24, 25, 26, 27, 28, 29, 30
	load	ldr, w, \n, 1, GICD_IIDR, IIDR
	load	ldr, x, \n, 1, GICD_IIDR, IIDR
	store	str, w, \n, 1, FIELD, (LOW(\n,32)|KEPT(32))
	store	str, x, \n, 1, FIELD, P(\n)
	.endr
	load	ldr, w, 1, 2, GICD_IIDR, IIDR
	load	ldr, x, 1, 2, GICD_IIDR, IIDR
	store	str, w, 1, 2, FIELD, (LOW(1,32)|KEPT(32))
	store	str, x, 1, 2, FIELD, P(1)

	/* The base register is the data register. */
	load	ldr, w, 1, 1, GICD_IIDR, IIDR
	load	ldr, x, 30, 30, GICD_IIDR, IIDR

	/* The zero register: a store of it stores zero, a load into it changes nothing. */
	load	ldr, w, zr, 1, GICD_IIDR, 0
	load	ldr, x, zr, 1, GICD_IIDR, 0
	load	ldrb, w, zr, 1, GICD_IIDR, 0
	load	ldrsw, x, zr, 30, GICD_IIDR, 0
	store	str, w, zr, 1, FIELD, KEPT(32)
	store	str, x, zr, 1, FIELD, 0
	store	strb, w, zr, 1, FIELD, KEPT(8)
	store	strh, w, zr, 30, FIELD, KEPT(16)

/* --- every size, and both signs --- */

	.irp	n, 0, 5, 17, 18, 19, 29, 30
	set_field 0x7068605890c89880		/* bytes from 80 up to 70 */
	load	ldrb, w, \n, 1, FIELD, 0x80
	load	ldrb, w, \n, 1, (FIELD+7), 0x70
	load	ldrh, w, \n, 1, FIELD, 0x9880
	load	ldrh, w, \n, 1, (FIELD+6), 0x7068
	load	ldr, w, \n, 1, FIELD, 0x90c89880
	load	ldr, w, \n, 1, (FIELD+4), 0x70686058
	load	ldr, x, \n, 1, FIELD, 0x7068605890c89880
	load	ldrsb, w, \n, 1, FIELD, 0xffffff80
	load	ldrsb, w, \n, 1, (FIELD+7), 0x70
	load	ldrsb, x, \n, 1, FIELD, 0xffffffffffffff80
	load	ldrsb, x, \n, 1, (FIELD+7), 0x70
	load	ldrsh, w, \n, 1, FIELD, 0xffff9880
	load	ldrsh, w, \n, 1, (FIELD+6), 0x7068
	load	ldrsh, x, \n, 1, FIELD, 0xffffffffffff9880
	load	ldrsh, x, \n, 1, (FIELD+6), 0x7068
	load	ldrsw, x, \n, 1, FIELD, 0xffffffff90c89880
	load	ldrsw, x, \n, 1, (FIELD+4), 0x70686058
	load	ldar, w, \n, 1, FIELD, 0x90c89880
	store	strb, w, \n, 1, FIELD, (LOW(\n,8)|KEPT(8))
	store	strb, w, \n, 1, (FIELD+7), (LOW(\n,8)<<56|(UNTOUCHED>>8))
	store	strh, w, \n, 1, FIELD, (LOW(\n,16)|KEPT(16))
	store	strh, w, \n, 1, (FIELD+6), (LOW(\n,16)<<48|(UNTOUCHED>>16))
	store	str, w, \n, 1, (FIELD+4), (LOW(\n,32)<<32|(UNTOUCHED>>32))
	store	stlr, w, \n, 1, FIELD, (LOW(\n,32)|KEPT(32))
	.endr

	/* A priority keeps its upper five bits. */
	set_field 0
	ldr	x0, gicd
	mov	w1, #0xff
	strb	w1, [x0, #FIELD + 3]
	field_is 0xf8000000, five_bits

/* --- other exits --- */

	call	hvc, HC_NULL, HVC_RESULT
	call	hvc, HC_RECORD, -2		/* x1 is no record kind: HC_EINVAL */
	call	hvc, 0x12345678, -1		/* HC_EUNKNOWN */
#ifndef IN_GEM5				/* undefined there, since that machine has no EL3 */
	call	smc, 0x84000008, SMC_RESULT	/* PSCI SYSTEM_OFF: no guest may */
#endif

	.irp	n, 0, 1, 5, 16, 17, 18, 19, 28, 29, 30
	begin
	mrs	x\n, actlr_el1
	end
	expect_variable \n, actlr
	verify	mrs_actlr_x\n
	begin
	msr	actlr_el1, x\n
	end
	verify	msr_actlr_x\n
	.endr
	begin
	mrs	xzr, actlr_el1
	end
	verify	mrs_actlr_xzr
	mrs	x0, actlr_el1
	ldr	x1, actlr
	cmp	x0, x1
	fail_if	ne, actlr_written

/* --- interrupts --- */

	.rept	4
	interrupt irq, 1
	interrupt irq_sp_el0, 0
	.endr
	interrupt irq_after_wfi, 1, wfi
	interrupt irq_after_wfi_sp_el0, 0, wfi
	ldr	x0, interrupts
	cmp	x0, #10
	fail_if	ne, interrupts_counted

	/* A WFI ends with a pending interrupt, though it is masked. */
	bl	start_timer
	begin
	wfi
	end
	mrs	x20, cntvct_el0
	mrs	x21, cntv_cval_el0
	verify	wfi
	cmp	x20, x21
	fail_if	lo, wfi_woke_early

	ldr	x0, =HC_EXIT
	mov	x1, #0				/* GUEST_EXIT_DONE */
	hvc	#0
	b	.

/* --- what checks are made of --- */

/* Patterns to x0 to x29, SP_EL0 and the flags, which are others each time; x30 is the caller's.
   The same is expected. */
fill:
	adr	x0, patterns
	adr	x1, expected
	mov	x2, #SLOTS
1:	ldr	x3, [x0], #8
	str	x3, [x1], #8
	subs	x2, x2, #1
	b.ne	1b
	adr	x0, flags
	ldr	w1, [x0]
	mov	w2, #1 << 28
	add	w1, w1, w2
	str	w1, [x0]
	msr	nzcv, x1
	adr	x0, expected
	str	x1, [x0, #8 * SLOT_NZCV]
	adr	x0, patterns
	ldr	x1, [x0, #8 * SLOT_SP_EL0]
	msr	sp_el0, x1
	ldp	x2, x3, [x0, #8 * 2]
	ldp	x4, x5, [x0, #8 * 4]
	ldp	x6, x7, [x0, #8 * 6]
	ldp	x8, x9, [x0, #8 * 8]
	ldp	x10, x11, [x0, #8 * 10]
	ldp	x12, x13, [x0, #8 * 12]
	ldp	x14, x15, [x0, #8 * 14]
	ldp	x16, x17, [x0, #8 * 16]
	ldp	x18, x19, [x0, #8 * 18]
	ldp	x20, x21, [x0, #8 * 20]
	ldp	x22, x23, [x0, #8 * 22]
	ldp	x24, x25, [x0, #8 * 24]
	ldp	x26, x27, [x0, #8 * 26]
	ldp	x28, x29, [x0, #8 * 28]
	ldp	x0, x1, [x0]
	ret

/* Everything to `seen`; x29 and x30 are on the stack. Leaves x19 = expected. */
snapshot:
	stp	x0, x1, [sp, #-16]!
	adr	x0, seen
	stp	x2, x3, [x0, #8 * 2]
	stp	x4, x5, [x0, #8 * 4]
	stp	x6, x7, [x0, #8 * 6]
	stp	x8, x9, [x0, #8 * 8]
	stp	x10, x11, [x0, #8 * 10]
	stp	x12, x13, [x0, #8 * 12]
	stp	x14, x15, [x0, #8 * 14]
	stp	x16, x17, [x0, #8 * 16]
	stp	x18, x19, [x0, #8 * 18]
	stp	x20, x21, [x0, #8 * 20]
	stp	x22, x23, [x0, #8 * 22]
	stp	x24, x25, [x0, #8 * 24]
	stp	x26, x27, [x0, #8 * 26]
	str	x28, [x0, #8 * 28]
	mrs	x1, nzcv
	str	x1, [x0, #8 * SLOT_NZCV]
	mrs	x1, sp_el0
	str	x1, [x0, #8 * SLOT_SP_EL0]
	ldp	x1, x2, [sp], #16
	stp	x1, x2, [x0]
	ldp	x1, x2, [sp], #16
	stp	x1, x2, [x0, #8 * 29]
	mov	x1, sp
	str	x1, [x0, #8 * SLOT_SP]
	adr	x1, stack_end
	mov	sp, x1
	adr	x19, expected
	ret

/* Equal or not in the flags. */
compare:
	adr	x0, expected
	adr	x1, seen
	mov	x2, #SLOTS
1:	ldr	x3, [x0], #8
	ldr	x4, [x1], #8
	cmp	x3, x4
	b.ne	2f
	subs	x2, x2, #1
	b.ne	1b
2:	ret

clear_field:
	ldr	x0, gicd
	mov	x1, #-1
	str	x1, [x0, #FIELD]
	ret

/* Expires when the registers have long been filled. */
start_timer:
	mrs	x0, cntvct_el0
	add	x0, x0, #4000
	msr	cntv_cval_el0, x0
	mov	x0, #1
	msr	cntv_ctl_el0, x0
	isb
	ret

/* Saves what it uses; returns behind the instruction that was interrupted. */
irq:
	stp	x0, x1, [sp, #-16]!
	msr	cntv_ctl_el0, xzr
	isb
	ldr	x1, gicc
	cbz	x1, 1f
	ldr	w0, [x1, #GICC_IAR]
	str	w0, [x1, #GICC_EOIR]
	b	2f
1:	mrs	x0, ICC_IAR1_EL1
	msr	ICC_EOIR1_EL1, x0
	isb
2:	ldr	x1, timer_intid
	cmp	x0, x1
	fail_if	ne, interrupt_id
	adr	x1, interrupts
	ldr	x0, [x1]
	add	x0, x0, #1
	str	x0, [x1]
	mrs	x0, elr_el1
	add	x0, x0, #4
	msr	elr_el1, x0
	ldp	x0, x1, [sp], #16
	eret

	.balign	8
gicd:	.quad	0				/* in this order: entry */
gicc:	.quad	0
timer_intid: .quad 0
actlr:	.quad	0
interrupts: .quad 0
flags:	.quad	0
patterns:
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, \
		22, 23, 24, 25, 26, 27, 28, 29, 30
	.quad	P(\n)
	.endr
	.quad	stack_end, 0x123456789abcdef0, 0
	.balign	64
table:	.quad	TABLE_DEVICE, 1 << 30 | TABLE_DEVICE, 2 << 30 | TABLE_DEVICE, 3 << 30 | TABLE_DEVICE
expected: .space 8 * SLOTS
seen:	.space	8 * SLOTS
	.balign	16
	.space	256
stack_end:

	.macro	vector, offset, target=
	.org	vectors + \offset
	.ifb	\target
	fail_if	al, exception_\offset
	.else
	b	\target
	.endif
	.endm

	.balign	0x800
vectors:
	vector	0x000
	vector	0x080, irq
	vector	0x100
	vector	0x180
	vector	0x200
	vector	0x280, irq
	vector	0x300
	vector	0x380
	vector	0x400
	.balign	0x80
	.ltorg

	.text	1				/* behind all fail_* */
	.ltorg
	.balign	16
image_end:
