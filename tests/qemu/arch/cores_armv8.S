/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest with several vCPUs, which checks what PSCI, SGIs and private interrupts do, and powers
 * off; a check that fails stops the VM with its number (wrong.h). With interrupts
 * masked: WFI ends for one that is pending. Defines: CPUS; GIC, 2 or 3; ENDING, how it ends;
 * CONDUIT, hvc or smc.
 */
#include "wrong.h"

#define GICD 0x08000000
#define GICC 0x08010000
#define GICR 0x080a0000
#define SHARED 0x41000000 /* not loaded: what is there lives through a reset */
#define CONTEXT_FIRST 0x1234
#define CONTEXT_SECOND 0x89abcdef01234567
#define TIMER 27

#define END_OFF 0	   /* SYSTEM_RESET once, then SYSTEM_OFF */
#define END_FAULT 1	   /* vCPU 1 stops the VM, vCPU 0 sleeps */
#define END_FAULT_BUSY 2   /* vCPU 1 stops the VM, vCPU 0 runs */
#define END_OFF_BY_OTHER 3 /* vCPU 1: SYSTEM_OFF */
#define END_COUNT 4	   /* loads from WRONG + 0x1000 + ticks of PSCI_VERSION */

#define VERSION 0x84000000
#define CPU_OFF 0x84000002
#define CPU_ON 0xc4000003
#define CPU_SUSPEND 0xc4000001
#define AFFINITY_INFO 0xc4000004
#define SYSTEM_OFF 0x84000008
#define SYSTEM_RESET 0x84000009

	.macro	call id
	ldr	x0, =\id
	CONDUIT	#0
	.endm

	.macro	expect register, value, number
	mov	w11, #\number
	ldr	w10, =\value
	cmp	\register, w10
	b.ne	wrong
	.endm

	/* w0: the INTID, with the source where the GIC says one; ended, the timer off before */
	.macro	interrupt
1:	wfi
#if GIC == 2
	ldr	x10, =GICC
	ldr	w0, [x10, #0x0c]		/* IAR */
#else
	mrs	x0, s3_0_c12_c12_0		/* ICC_IAR1_EL1 */
#endif
	and	w11, w0, #0x3ff
	cmp	w11, #1023
	b.eq	1b
	cmp	w11, #TIMER
	b.ne	2f
	msr	cntv_ctl_el0, xzr
	isb
2:
#if GIC == 2
	str	w0, [x10, #0x10]		/* EOIR */
#else
	msr	s3_0_c12_c12_1, x0		/* ICC_EOIR1_EL1 */
#endif
	.endm

	/* SGI id to vCPU w1 */
	.macro	sgi id
	dsb	sy
	mov	w2, #1
	lsl	w2, w2, w1
#if GIC == 2
	lsl	w2, w2, #16
	add	w2, w2, #\id
	ldr	x3, =GICD + 0xf00		/* SGIR */
	str	w2, [x3]
#else
	mov	x3, #(\id << 24)
	orr	x2, x2, x3
	msr	s3_0_c12_c11_5, x2		/* ICC_SGI1R_EL1 */
	isb
#endif
	.endm

	/* The private timer, once: its interrupt has come */
	.macro	timer number
	mov	x0, #2000
	msr	cntv_tval_el0, x0
	mov	x0, #1
	msr	cntv_ctl_el0, x0
	isb
	interrupt
	expect	w0, TIMER, \number
	.endm

	.text
	.global _start
_start:
	ldr	x28, =SHARED
	mov	w27, #0
	bl	gic_init
	mov	x0, #0				/* all but the first word */
	mov	x1, #8
1:	str	x0, [x28, x1]
	add	x1, x1, #8
	cmp	x1, #0x200
	b.ne	1b

	call	VERSION
	expect	w0, 0x10001, 1
	mrs	x0, mpidr_el1
	expect	w0, 0x80000000, 2
	timer	3
#if ENDING == END_COUNT
	mrs	x20, cntvct_el0
	mrs	x21, cntvct_el0
	ldr	x0, =VERSION
	mrs	x22, cntvct_el0
	CONDUIT	#0
	mrs	x23, cntvct_el0
	sub	x21, x21, x20
	sub	x23, x23, x22
	sub	x23, x23, x21
	add	x11, x23, #0x1000
	b	wrong
#endif

	/* errors */
	mov	x1, #CPUS
	ldr	x2, =secondary
	call	CPU_ON
	expect	w0, -2, 4
	mov	x1, #0
	ldr	x2, =secondary
	call	CPU_ON
	expect	w0, -4, 5
	mov	x1, #1
	mov	x2, #0x1000
	call	CPU_ON
	expect	w0, -9, 6
	call	CPU_OFF				/* the last one */
	expect	w0, -3, 7

	mov	w26, #1				/* the vCPU that this is about */
each:
	mov	w25, #2				/* rounds */
	ldr	x24, =CONTEXT_FIRST
round:
	str	xzr, [x28, #8]
	mov	x1, x26
	mov	x2, #0
	call	AFFINITY_INFO
	expect	w0, 1, 8
	mov	x1, x26
	ldr	x2, =secondary
	mov	x3, x24
	call	CPU_ON
	expect	w0, 0, 9

#if ENDING == END_FAULT || ENDING == END_OFF_BY_OTHER
1:	wfi
	b	1b
#elif ENDING == END_FAULT_BUSY
1:	b	1b
#endif

1:	yield
	ldr	x0, [x28, #8]			/* the context it came with */
	cbz	x0, 1b
	mov	w11, #10
	cmp	x0, x24
	b.ne	wrong
	mov	x1, x26
	ldr	x2, =secondary
	call	CPU_ON
	expect	w0, -4, 11
	mov	x1, x26
	mov	x2, #0
	call	AFFINITY_INFO
	expect	w0, 0, 12

	mov	w1, w26
	sgi	3
	interrupt
	mov	w11, #13
#if GIC == 2
	lsl	w1, w26, #10
#else
	mov	w1, #0
#endif
	add	w1, w1, #5
	cmp	w0, w1
	b.ne	wrong
	timer	14
	mov	w1, w26
	sgi	4
1:	yield
	mov	x1, x26
	mov	x2, #0
	call	AFFINITY_INFO
	cmp	w0, #0
	b.eq	1b
	expect	w0, 1, 15
	ldr	x24, =CONTEXT_SECOND
	subs	w25, w25, #1
	b.ne	round
	add	w26, w26, #1
	cmp	w26, #CPUS
	b.ne	each

	/* Sleep: the timer's interrupt ends it, and is still there. */
	ldr	x20, =CONTEXT_SECOND
	mov	x0, #3000
	msr	cntv_tval_el0, x0
	mov	x0, #1
	msr	cntv_ctl_el0, x0
	isb
	mov	x1, #0
	call	CPU_SUSPEND
	expect	w0, 0, 16
	interrupt
	expect	w0, TIMER, 17
	mov	x0, #3000
	msr	cntv_tval_el0, x0
	mov	x0, #1
	msr	cntv_ctl_el0, x0
	isb
	ldr	x1, =0x10000
	ldr	x2, =awake
	ldr	x3, =CONTEXT_SECOND
	call	CPU_SUSPEND
	mov	w11, #18
	b	wrong
awake:
	ldr	x1, =CONTEXT_SECOND
	mov	w11, #19
	cmp	x0, x1
	b.ne	wrong
	ldr	x28, =SHARED
	mov	w27, #0
	bl	gic_init
	interrupt
	expect	w0, TIMER, 20

	ldr	w0, [x28]
	cmp	w0, #1
	b.eq	1f
	mov	w0, #1
	str	w0, [x28]
	call	SYSTEM_RESET
	mov	w11, #21
	b	wrong
1:	str	wzr, [x28]
	call	SYSTEM_OFF
	mov	w11, #22
	b	wrong

secondary:
	mov	x26, x0
	ldr	x28, =SHARED
	mrs	x27, mpidr_el1
	and	x27, x27, #0xff
	mrs	x0, mpidr_el1
	sub	x0, x0, x27
	expect	w0, 0x80000000, 32
	mrs	x0, sctlr_el1
	and	w0, w0, #1			/* M */
	expect	w0, 0, 33
	mrs	x0, cntv_ctl_el0
	expect	w0, 0, 34
#if ENDING == END_FAULT || ENDING == END_FAULT_BUSY
	mov	w11, #0x100
	b	wrong
#elif ENDING == END_OFF_BY_OTHER
	call	SYSTEM_OFF
#endif
	bl	gic_init
	str	x26, [x28, #8]
	dsb	sy
	interrupt
	expect	w0, 3, 35			/* from vCPU 0 */
	timer	36
	mov	w1, #0
	sgi	5
	interrupt
	expect	w0, 4, 37
	mov	x0, #1				/* off with its timer on, and about to signal */
	msr	cntv_tval_el0, x0
	msr	cntv_ctl_el0, x0
	call	CPU_OFF
	mov	w11, #38
wrong:
	ldr	x10, =WRONG
	add	x10, x10, w11, uxtw
	ldrb	w11, [x10], #1
	b	.

	/* This vCPU's part; the distributor is everyone's. */
gic_init:
	ldr	x10, =GICD
#if GIC == 2
	mov	w0, #1
	str	w0, [x10]
	mov	w0, #(1 << TIMER)
	str	w0, [x10, #0x100]		/* ISENABLER0 */
	ldr	x10, =GICC
	mov	w0, #0xff
	str	w0, [x10, #4]			/* PMR */
	mov	w0, #1
	str	w0, [x10]
#else
	mov	w0, #0x12			/* ARE, Group 1 */
	str	w0, [x10]
	ldr	x10, =GICR + 0x10000
	add	x10, x10, x27, lsl #17
	mov	w0, #-1
	str	w0, [x10, #0x80]		/* IGROUPR0 */
	movz	w0, #(1 << (TIMER - 16)), lsl #16
	movk	w0, #0xffff
	str	w0, [x10, #0x100]		/* ISENABLER0 */
	mov	x0, #7
	msr	s3_0_c12_c12_5, x0		/* ICC_SRE_EL1 */
	isb
	mov	x0, #0xff
	msr	s3_0_c4_c6_0, x0		/* ICC_PMR_EL1 */
	mov	x0, #1
	msr	s3_0_c12_c12_7, x0		/* ICC_IGRPEN1_EL1 */
	isb
#endif
	dsb	sy
	ret
	.ltorg
