/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that looks at nothing but its registers: whatever exit it takes in whatever mode, and
 * whatever register an emulated access names, exactly what may change has changed
 * (test_registers.py).
 *
 * A check is: fill every register of every mode with a pattern of its own, do one thing in one
 * mode, take a snapshot, say what is expected to differ from the patterns, compare. When a
 * comparison fails, the guest ends by an HVC of this check alone, so that the address in the fault
 * record names the check: the label is fail_<name>_<number>. There is no stack: r13 is a register
 * under test like the others, and what must be kept goes to memory relative to the PC.
 */
	.syntax	unified
	.arch	armv7ve
	.arch_extension virt
	.arch_extension sec
	.arm

#include "abi/guest_run.h"

/* A planted fault defines one of these otherwise. SPOIL: an instruction behind what is checked. */
#ifndef IIDR
#define IIDR 0x43b
#endif
#ifndef HVC_RESULT
#define HVC_RESULT 0
#endif
#ifndef SMC_RESULT
#define SMC_RESULT 0xffffffff
#endif
#ifndef SPOIL
#define SPOIL
#endif

#ifndef GICD
#define GICD 0x08000000			/* of QEMU's `virt`; entry checks it */
#define GICC 0x08010000
#endif
#define GICD_CTLR 0x000
#define GICD_IIDR 0x008
#define GICD_ISENABLER0 0x100
#define FIELD 0x420			/* priorities of INTIDs 32 to 35: four bytes to write to */
#define GICC_CTLR 0x0
#define GICC_PMR 0x4
#define GICC_IAR 0xc
#define GICC_EOIR 0x10
#define TIMER 27

#define TABLE_DEVICE 0x441		/* a block, its access flag, for PL0 as well; attribute 0 */
#define TABLE_NORMAL 0x004		/* attribute 1 */
#define TABLE_MAIR 0x4404		/* Device, Normal Non-cacheable */

#define HC_NULL 0x86000000		/* abi/hypercall.h; its enum is not for an assembler */
#define HC_RECORD 0x86000001
#define HC_EXIT 0x86000002
#define EXIT_UNKNOWN 99			/* no enum guest_exit */

	.set	mode_usr, 0x10
	.set	mode_fiq, 0x11
	.set	mode_irq, 0x12
	.set	mode_svc, 0x13
	.set	mode_abt, 0x17
	.set	mode_und, 0x1b
	.set	mode_sys, 0x1f
#define MODE_MASK 0x1f
#define AIF 0x1c0
#define PSR_I 0x80
#define FLAGS_EQUAL 0x60000000		/* after a CMP of equal values: Z and C */
#define FLAGS_ONE 0x20000000		/* after a MOVS of 1 behind that: C */

/* A snapshot: r0 to r14 of User mode, CPSR, then what the modes have of their own: r8_fiq to
   r12_fiq, and SP, LR, SPSR of each; four bytes each. */
	.set	slot_sp_usr, 13
	.set	slot_sp_sys, 13
	.set	slot_cpsr, 15
	.set	slot_fiq, 16
	.set	slot_sp_fiq, 21
	.set	slot_sp_irq, 24
	.set	slot_sp_svc, 27
	.set	slot_sp_abt, 30
	.set	slot_sp_und, 33
	.set	slot_lr_irq, slot_sp_irq + 1
	.set	slot_spsr_irq, slot_sp_irq + 2
	.set	slot_lr_svc, slot_sp_svc + 1
	.set	slot_spsr_svc, slot_sp_svc + 2
	.set	slots, 36

/* The pattern of a slot. Its bytes differ, and have nothing in the three bits that a priority does
   not keep. No blanks: they would end a macro's argument. */
#define P(n) (((((n)&31)*0x08080808)^(((n)>>5)*0x00f80800))^0x58a0c818)
#define LOW(n,bits) (P(n)&((1<<(bits))-1))
#define UNTOUCHED 0xf8f8f8f8		/* FIELD before a store */
#define KEPT(bits) (UNTOUCHED&~((1<<(bits))-1))

/* --- checks --- */

	.macro	load_word register, value
	movw	\register, #:lower16:(\value)
	movt	\register, #:upper16:(\value)
	.endm

	/* Ends the guest where `condition` holds; short: behind compare or compare_field, leaving
	   in r0 and r1 what this HVC says. */
	.macro	fail_if condition, name, short=0
	b\condition fail_\name\()_\@
	.pushsection .text, 1
fail_\name\()_\@:
	.ifeq	\short
	load_word r0, HC_EXIT
	mov	r1, #EXIT_UNKNOWN
	.endif
	hvc	#0
	.popsection
	.endm

	/* For a check in that mode; goes on in SVC mode. */
	.macro	fill_for mode
	mov	r0, #mode_\mode
	bl	fill
	load_word lr, P(slot_lr_svc)
	.endm

	.macro	begin mode
	fill_for \mode
	cps	#mode_\mode
	.endm

	/* From User mode the way out is an SVC, which is expected to leave its traces. */
	.macro	end mode
	SPOIL
	.ifc	\mode, usr
	svc	#0
behind_svc_\@:
	.endif
	str	lr, lr_\@
	bl	snapshot
lr_\@:	.word	0
	.ifc	\mode, usr
	expect	slot_lr_svc, behind_svc_\@
	bl	expect_svc
	.endif
	.endm

	/* Of a slot; r4 = expected. */
	.macro	expect slot, value
	load_word r0, \value
	str	r0, [r4, #4 * (\slot)]
	.endm

	.macro	verify name
	bl	compare
	fail_if	ne, \name, short=1
	.endm

	/* slot = where register n of a mode is */
	.macro	find_slot mode, n
	.set	slot, \n
	.ifc	\mode, fiq
	.if	\n >= 8
	.set	slot, slot_fiq + \n - 8
	.endif
	.else
	.if	\n >= 13
	.set	slot, slot_sp_\mode + \n - 13
	.endif
	.endif
	.endm

	/* A load into rn of this mode; the base is r0 or r1. */
	.macro	load op, mode, n, base, offset, value
	begin	\mode
	load_word r\base, GICD + \offset
	\op	r\n, [r\base]
	end	\mode
	expect	\base, GICD + \offset
	find_slot \mode, \n
	expect	slot, \value
	verify	\op\()_r\n\()_\mode
	.endm

	/* A store of the low bits of rn; the rest of FIELD stays. */
	.macro	store op, mode, n, base, bits
	bl	clear_field
	begin	\mode
	load_word r\base, GICD + FIELD
	\op	r\n, [r\base]
	end	\mode
	expect	\base, GICD + FIELD
	verify	\op\()_r\n\()_\mode
	find_slot \mode, \n
	.if	\bits == 32
	field_is P(slot), \op\()_r\n\()_\mode\()_stored
	.else
	field_is (LOW(slot,\bits)|KEPT(\bits)), \op\()_r\n\()_\mode\()_stored
	.endif
	.endm

	.macro	field_is value, name
	load_word r1, \value
	bl	compare_field
	fail_if	ne, \name, short=1
	.endm

	.macro	set_field value
	load_word r0, GICD + FIELD
	load_word r1, \value
	str	r1, [r0]
	.endm

	/* HVC or SMC. */
	.macro	call instruction, mode, function, result
	begin	\mode
	load_word r0, \function
	\instruction #0
	end	\mode
	expect	0, \result
	verify	\instruction\()_\mode
	.endm

	.macro	read_actlr mode, n
	begin	\mode
	mrc	p15, 0, r\n, c1, c0, 1
	end	\mode
	ldr	r0, =actlr
	ldr	r0, [r0]
	find_slot \mode, \n
	str	r0, [r4, #4 * slot]
	verify	mrc_actlr_r\n\()_\mode
	.endm

	.macro	write_actlr mode, n
	begin	\mode
	mcr	p15, 0, r\n, c1, c0, 1
	end	\mode
	verify	mcr_actlr_r\n\()_\mode
	.endm

	/* The timer's interrupt, taken in this mode at `b .`: the handler goes on behind it. */
	.macro	interrupt mode
	bl	start_timer
	fill_for \mode
	cpsie	i, #mode_\mode
waits_\@:
	b	.
	.ifnc	\mode, usr
	cpsid	i
	.endif
	end	\mode
	expect	slot_lr_irq, waits_\@ + 4
	.ifc	\mode, usr
	ldr	r0, [r4, #4 * slot_spsr_svc]
	bic	r0, r0, #PSR_I
	str	r0, [r4, #4 * slot_spsr_svc]
	.else
	ldr	r0, [r4, #4 * slot_cpsr]
	bic	r0, r0, #PSR_I
	.endif
	str	r0, [r4, #4 * slot_spsr_irq]
	verify	irq_\mode
	.endm

	/* To Thumb and back, without a register. */
	.macro	thumb
	ldr	pc, [pc, #-4]
	.word	thumb_\@ + 1
	.thumb
thumb_\@:
	.endm

	.macro	end_thumb mode
	.balign	4
	ldr.w	pc, [pc, #0]
	.word	arm_\@
	.arm
arm_\@:	end	\mode
	.endm

	/* Thumb code in SVC mode, r0 = the address accessed; equal: flags after a comparison. */
	.macro	begin_thumb offset, equal=0
	begin	svc
	load_word r0, GICD + \offset
	.if	\equal
	cmp	r0, r0
	.endif
	thumb
	.endm

	.macro	expect_flags flags
	ldr	r0, [r4, #4 * slot_cpsr]
	bic	r0, r0, #0xf0000000
	orr	r0, r0, #\flags
	str	r0, [r4, #4 * slot_cpsr]
	.endm

	/* A load or store by one Thumb instruction. */
	.macro	thumb_load op, n, offset, value
	begin_thumb \offset
	\op	r\n, [r0]
	end_thumb svc
	expect	0, GICD + \offset
	expect	\n, \value
	verify	thumb_\op\()_r\n
	.endm

	.macro	thumb_store op, n, bits
	bl	clear_field
	begin_thumb FIELD
	\op	r\n, [r0]
	end_thumb svc
	expect	0, GICD + FIELD
	verify	thumb_\op\()_r\n
	.if	\bits == 32
	field_is P(\n), thumb_\op\()_r\n\()_stored
	.else
	field_is (LOW(\n,\bits)|KEPT(\bits)), thumb_\op\()_r\n\()_stored
	.endif
	.endm

/* --- the image --- */

	.text
	.global	_start
_start:
	.asciz	"HYPBENCH-GUEST1"		/* struct guest_header */
	.word	_start, 0, entry, 0, image_end - _start, 0, image_end, 0

entry:
	load_word r1, GICD
	load_word r2, GICC
	ldr	r3, [r0, #GUEST_RUN_GICD]
	cmp	r3, r1
	ldreq	r3, [r0, #GUEST_RUN_GICC]
	cmpeq	r3, r2
	ldreq	r3, [r0, #GUEST_RUN_TIMER]
	cmpeq	r3, #TIMER
	fail_if	ne, other_machine

	/* Flat: where stage 1 is off, gem5 reports an abort of stage 2 with HDFAR = 0. */
	load_word r4, table
	lsr	r5, r4, #30
	ldr	r6, [r4, r5, lsl #3]
	orr	r6, r6, #TABLE_NORMAL
	str	r6, [r4, r5, lsl #3]
	mov	r5, #1 << 31
	mcr	p15, 0, r5, c2, c0, 2		/* TTBCR.EAE */
	isb
	load_word r5, TABLE_MAIR
	mcr	p15, 0, r5, c10, c2, 0		/* MAIR0 */
	mov	r5, #0
	mcrr	p15, 0, r4, r5, c2		/* TTBR0 */
	dsb
	isb
	mrc	p15, 0, r5, c1, c0, 0		/* SCTLR */
	orr	r5, r5, #1
	mcr	p15, 0, r5, c1, c0, 0
	isb

	load_word r3, vectors
	mcr	p15, 0, r3, c12, c0, 0		/* VBAR */
	mov	r3, #1
	str	r3, [r1, #GICD_CTLR]
	mov	r3, #1 << TIMER
	str	r3, [r1, #GICD_ISENABLER0]
	mov	r3, #0xf0
	str	r3, [r2, #GICC_PMR]
	mov	r3, #1
	str	r3, [r2, #GICC_CTLR]
	mrc	p15, 0, r3, c1, c0, 1		/* ACTLR */
	load_word r4, actlr
	str	r3, [r4]
	isb

/* --- every register as the data register of an emulated access --- */

	.irp	n, 0, 2, 3, 4, 5, 6, 7
	load	ldr, svc, \n, 1, GICD_IIDR, IIDR
	store	str, svc, \n, 1, 32
	.endr
	load	ldr, svc, 1, 0, GICD_IIDR, IIDR
	load	ldr, svc, 1, 1, GICD_IIDR, IIDR	/* the base is the data register */
	store	str, svc, 1, 0, 32
	.ltorg

	.macro	high_registers mode
	.irp	n, 8, 9, 10, 11, 12, 13, 14
	load	ldr, \mode, \n, 0, GICD_IIDR, IIDR
	store	str, \mode, \n, 0, 32
	.endr
	.endm
	high_registers usr
	high_registers fiq
	high_registers irq
	high_registers svc
	high_registers abt
	high_registers und
	high_registers sys

/* --- every size, and both signs --- */

	.macro	sizes mode, n
	set_field 0x7058c890			/* bytes from 90 up to 70 */
	load	ldrb, \mode, \n, 1, FIELD, 0x90
	load	ldrb, \mode, \n, 1, (FIELD+3), 0x70
	load	ldrh, \mode, \n, 1, FIELD, 0xc890
	load	ldrh, \mode, \n, 1, (FIELD+2), 0x7058
	load	ldr, \mode, \n, 1, FIELD, 0x7058c890
	load	ldrsb, \mode, \n, 1, FIELD, 0xffffff90
	load	ldrsb, \mode, \n, 1, (FIELD+3), 0x70
	load	ldrsh, \mode, \n, 1, FIELD, 0xffffc890
	load	ldrsh, \mode, \n, 1, (FIELD+2), 0x7058
	store	strb, \mode, \n, 1, 8
	store	strh, \mode, \n, 1, 16
	.endm
	sizes	svc, 0
	sizes	svc, 7
	sizes	svc, 12
	sizes	fiq, 12
	sizes	usr, 14

	/* A priority keeps its upper five bits. */
	set_field 0
	load_word r0, GICD + FIELD
	mov	r1, #0xff
	strb	r1, [r0, #3]
	field_is 0xf8000000, five_bits

/* --- other exits --- */

	.macro	calls mode
	call	hvc, \mode, HC_NULL, HVC_RESULT
	call	hvc, \mode, HC_RECORD, 0xfffffffe	/* r1 is no record kind: HC_EINVAL */
	call	hvc, \mode, 0x12345678, 0xffffffff	/* HC_EUNKNOWN */
	call	smc, \mode, 0x84000008, SMC_RESULT	/* PSCI SYSTEM_OFF: no guest may */
	.endm
	calls	fiq
	calls	irq
	calls	svc
	calls	abt
	calls	und
	calls	sys

	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14
	read_actlr svc, \n
	write_actlr svc, \n
	.endr
	b	1f
	.ltorg
1:
	.irp	n, 8, 9, 10, 11, 12, 14
	read_actlr fiq, \n
	write_actlr fiq, \n
	.endr
	read_actlr irq, 14
	write_actlr irq, 14
	read_actlr abt, 14
	write_actlr abt, 14
	read_actlr und, 14
	write_actlr und, 14
	read_actlr sys, 14
	write_actlr sys, 14
	mrc	p15, 0, r0, c1, c0, 1
	ldr	r1, =actlr
	ldr	r1, [r1]
	cmp	r0, r1
	fail_if	ne, actlr_written
	b	1f
	.ltorg
1:
	/* Its condition fails: whether it traps or not, it does nothing. */
	begin	svc
	cmp	r0, r0
	mrcne	p15, 0, r6, c1, c0, 1
	smcne	#0
	end	svc
	expect_flags FLAGS_EQUAL
	verify	condition_fails

/* --- Thumb --- */

	.irp	n, 1, 4, 7
	thumb_load ldr.n, \n, GICD_IIDR, IIDR
	thumb_load ldrb.n, \n, GICD_IIDR, (IIDR&0xff)
	thumb_load ldrh.n, \n, GICD_IIDR, IIDR
	thumb_store str.n, \n, 32
	thumb_store strb.n, \n, 8
	thumb_store strh.n, \n, 16
	.endr
	.irp	n, 1, 7, 8, 12
	set_field 0x7058c890
	thumb_load ldr.w, \n, GICD_IIDR, IIDR
	thumb_load ldrb.w, \n, FIELD, 0x90
	thumb_load ldrh.w, \n, FIELD, 0xc890
	thumb_load ldrsb.w, \n, FIELD, 0xffffff90
	thumb_load ldrsh.w, \n, FIELD, 0xffffc890
	thumb_store str.w, \n, 32
	thumb_store strb.w, \n, 8
	thumb_store strh.w, \n, 16
	.endr

#ifndef IN_GEM5				/* docs/measuring.md */
	/* The access is the first, the middle, the last of an IT block: what follows is taken or
	   not as if it had been an access without a trap. */
	begin_thumb GICD_IIDR, 1
	itete	eq
	ldreq.n	r1, [r0]
	movne	r2, #2
	moveq	r3, #3
	movne	r4, #4
	end_thumb svc
	expect	0, GICD + GICD_IIDR
	expect	1, IIDR
	expect	3, 3
	expect_flags FLAGS_EQUAL
	verify	it_first

	begin_thumb GICD_IIDR, 1
	itett	eq
	ldreq.w	r10, [r0]
	movne	r1, #1
	ldreq.n	r2, [r0]
	ldreq.w	r12, [r0]
	movs	r3, #1				/* behind the block it sets the flags, in it not */
	mov	r5, #5
	end_thumb svc
	expect	0, GICD + GICD_IIDR
	expect	10, IIDR
	expect	2, IIDR
	expect	12, IIDR
	expect	3, 1
	expect	5, 5
	expect_flags FLAGS_ONE
	verify	it_all

	begin_thumb GICD_IIDR, 1
	itee	ne
	movne	r1, #1
	ldreq.n	r2, [r0]
	ldreq.n	r3, [r0]
	it	ne
	movne	r5, #5
	end_thumb svc
	expect	0, GICD + GICD_IIDR
	expect	2, IIDR
	expect	3, IIDR
	expect_flags FLAGS_EQUAL
	verify	it_last

	/* System registers and SMC in IT blocks. */
	begin_thumb GICD_IIDR, 1
	ittee	eq
	mrceq	p15, 0, r1, c1, c0, 1
	moveq	r7, #9
	mrcne	p15, 0, r8, c1, c0, 1
	movne	r9, #9
	end_thumb svc
	expect	0, GICD + GICD_IIDR
	load_word r0, actlr
	ldr	r0, [r0]
	str	r0, [r4, #4 * 1]
	expect	7, 9
	expect_flags FLAGS_EQUAL
	verify	it_mrc

	begin_thumb GICD_IIDR, 1
	itee	ne
	movne	r5, #5
	moveq	r6, #6
	smceq	#0				/* only the last may be an SMC */
	movs	r7, #1
	end_thumb svc
	expect	0, SMC_RESULT
	expect	6, 6
	expect	7, 1
	expect_flags FLAGS_ONE
	verify	it_smc
#endif

	begin_thumb GICD_IIDR
	smc	#0
	end_thumb svc
	expect	0, SMC_RESULT
	verify	thumb_smc

	begin_thumb 0
	ldr.w	r0, [pc, #4]			/* HC_NULL, behind the branch */
	b.n	1f
	.balign	4
	.word	HC_NULL
1:	hvc	#0
	end_thumb svc
	expect	0, HVC_RESULT
	verify	thumb_hvc

/* --- interrupts --- */

	.rept	2
	interrupt usr
	interrupt fiq
	interrupt irq
	interrupt svc
	interrupt abt
	interrupt und
	interrupt sys
	.endr
	load_word r0, interrupts
	ldr	r0, [r0]
	cmp	r0, #14
	fail_if	ne, interrupts_counted

	/* A WFI ends with a pending interrupt, though it is masked. */
	bl	start_timer
	begin	svc
	wfi
	end	svc
	verify	wfi
	bl	timer_expired
	fail_if	lo, wfi_woke_early
	bl	start_timer
	begin	fiq
	wfi
	end	fiq
	verify	wfi_fiq

	load_word r0, HC_EXIT
	mov	r1, #0				/* GUEST_EXIT_DONE */
	hvc	#0
	b	.
	.ltorg

/* --- what checks are made of --- */

/* r0 = the mode of the check. Patterns to every register of every mode, and flags that are others
   each time; lr_svc is the caller's to fill. The same is expected. In and out: SVC mode. */
fill:
	load_word r5, patterns
	load_word r2, expected
	mov	r3, #slots
1:	ldr	r4, [r5], #4
	str	r4, [r2], #4
	subs	r3, r3, #1
	bne	1b
	sub	r5, r5, #4 * slots
	sub	r2, r2, #4 * slots
	ldr	r1, flags
	add	r1, r1, #1 << 27
	str	r1, flags
	orr	r3, r1, r0
	orr	r3, r3, #AIF
	str	r3, [r2, #4 * slot_cpsr]

	.macro	fill_mode mode
	cps	#mode_\mode
	ldr	sp, [r5, #4 * slot_sp_\mode]
	ldr	lr, [r5, #4 * slot_sp_\mode + 4]
	ldr	r4, [r5, #4 * slot_sp_\mode + 8]
	msr	spsr_fsxc, r4
	.endm
	fill_mode fiq
	add	r4, r5, #4 * slot_fiq
	ldm	r4, {r8-r12}
	fill_mode irq
	fill_mode abt
	fill_mode und
	cps	#mode_sys
	ldr	sp, [r5, #4 * slot_sp_sys]
	ldr	lr, [r5, #4 * slot_sp_sys + 4]
	cps	#mode_svc
	ldr	sp, [r5, #4 * slot_sp_svc]
	ldr	r4, [r5, #4 * slot_spsr_svc]
	msr	spsr_fsxc, r4
	msr	cpsr_f, r1
	ldm	r5, {r0-r12}
	bx	lr
flags:	.word	0

/* Everything to `seen`. lr -> a word with the LR of the mode that was checked, and behind it the
   way back. Leaves SVC mode and r4 = expected. */
snapshot:
	str	r0, seen
	adr	r0, seen
	stmib	r0, {r1-r7}
	mrs	r1, cpsr
	str	r1, [r0, #4 * slot_cpsr]
	mov	r2, lr
	ldr	lr, [r2]

	.macro	keep_mode mode
	cps	#mode_\mode
	str	sp, [r0, #4 * slot_sp_\mode]
	str	lr, [r0, #4 * slot_sp_\mode + 4]
	mrs	r3, spsr
	str	r3, [r0, #4 * slot_sp_\mode + 8]
	.endm
	keep_mode fiq
	add	r3, r0, #4 * slot_fiq
	stm	r3, {r8-r12}
	keep_mode irq
	keep_mode abt
	keep_mode und
	cps	#mode_sys
	add	r3, r0, #4 * 8
	stm	r3, {r8-r12}
	str	sp, [r0, #4 * slot_sp_sys]
	str	lr, [r0, #4 * slot_sp_sys + 4]
	keep_mode svc
	load_word r4, expected
	add	pc, r2, #4

seen:	.space	4 * 36

/* What the SVC that leaves User mode changes besides lr_svc. */
expect_svc:
	ldr	r0, [r4, #4 * slot_cpsr]
	str	r0, [r4, #4 * slot_spsr_svc]
	bic	r0, r0, #MODE_MASK
	orr	r0, r0, #mode_svc
	str	r0, [r4, #4 * slot_cpsr]
	bx	lr

/* Equal or not in the flags; r0 and r1 for the HVC that ends the guest. */
compare:
	load_word r3, expected
	load_word r4, seen
	mov	r2, #slots
1:	ldr	r0, [r3], #4
	ldr	r1, [r4], #4
	cmp	r0, r1
	bne	2f
	subs	r2, r2, #1
	bne	1b
2:	load_word r0, HC_EXIT
	mov	r1, #EXIT_UNKNOWN
	bx	lr

/* r1 = what FIELD must hold; results like compare's. */
compare_field:
	load_word r0, GICD + FIELD
	ldr	r0, [r0]
	cmp	r0, r1
	b	2b

clear_field:
	load_word r0, GICD + FIELD
	mvn	r1, #0
	str	r1, [r0]
	bx	lr

/* Expires when the registers have long been filled. */
start_timer:
	mrrc	p15, 1, r0, r1, c14		/* CNTVCT */
	adds	r0, r0, #4000
	adc	r1, r1, #0
	mcrr	p15, 3, r0, r1, c14		/* CNTV_CVAL */
	mov	r0, #1
	mcr	p15, 0, r0, c14, c3, 1		/* CNTV_CTL */
	isb
	bx	lr

/* lo in the flags: it has not. */
timer_expired:
	mrrc	p15, 1, r0, r1, c14
	mrrc	p15, 3, r2, r3, c14
	subs	r0, r0, r2
	sbcs	r1, r1, r3
	bx	lr

/* Saves what it uses; returns to LR: behind the instruction that was interrupted. */
irq:
	str	r0, kept
	str	r1, kept + 4
	mov	r0, #0
	mcr	p15, 0, r0, c14, c3, 1		/* CNTV_CTL */
	isb
	load_word r1, GICC
	ldr	r0, [r1, #GICC_IAR]
	str	r0, [r1, #GICC_EOIR]
	cmp	r0, #TIMER
	fail_if	ne, interrupt_id
	ldr	r0, interrupts
	add	r0, r0, #1
	str	r0, interrupts
	ldr	r0, kept
	ldr	r1, kept + 4
	movs	pc, lr
kept:	.word	0, 0
interrupts: .word 0
actlr:	.word	0

	.balign	32
vectors:
	fail_if	al, exception_reset
	fail_if	al, exception_undefined
	bx	lr				/* SVC: goes on in SVC mode */
	fail_if	al, exception_prefetch
	fail_if	al, exception_data
	fail_if	al, exception_reserved
	b	irq
	fail_if	al, exception_fiq

patterns:
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
	.word	P(\n)
	.endr
	.word	0				/* CPSR: fill */
	.irp	n, 16, 17, 18, 19, 20, 21, 22
	.word	P(\n)
	.endr
	.word	0x100001d3			/* SPSRs: flags that differ, SVC mode */
	.word	P(24), P(25), 0x200001d3
	.word	P(27), P(28), 0x400001d3
	.word	P(30), P(31), 0x800001d3
	.word	P(33), P(34), 0xa00001d3
	.balign	64
table:	.word	TABLE_DEVICE, 0, 1 << 30 | TABLE_DEVICE, 0
	.word	2 << 30 | TABLE_DEVICE, 0, 3 << 30 | TABLE_DEVICE, 0
expected: .space 4 * 36

	.text	1				/* behind all fail_* */
	.balign	16
image_end:
