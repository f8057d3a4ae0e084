/* SPDX-License-Identifier: Apache-2.0 */
/* As cores_armv8.S, with a GICv2. vCPUs beside vCPU 0 begin in Thumb state in the second round. */
#include "wrong.h"

#define GICD 0x08000000
#define GICC 0x08010000
#define SHARED 0x41000000 /* not loaded: what is there lives through a reset */
#define CONTEXT_FIRST 0x1234
#define CONTEXT_SECOND 0x89abcdef
#define TIMER 27

#define END_OFF 0	   /* SYSTEM_RESET once, then SYSTEM_OFF */
#define END_FAULT 1	   /* vCPU 1 stops the VM, vCPU 0 sleeps */
#define END_FAULT_BUSY 2   /* vCPU 1 stops the VM, vCPU 0 runs */
#define END_OFF_BY_OTHER 3 /* vCPU 1: SYSTEM_OFF */
#define END_COUNT 4	   /* loads from WRONG + 0x1000 + ticks of PSCI_VERSION */

#define VERSION 0x84000000
#define CPU_SUSPEND 0x84000001
#define CPU_OFF 0x84000002
#define CPU_ON 0x84000003
#define AFFINITY_INFO 0x84000004
#define SYSTEM_OFF 0x84000008
#define SYSTEM_RESET 0x84000009

	.arch	armv7ve
	.arch_extension virt
	.arch_extension sec
	.arm

	.macro	call id
	ldr	r0, =\id
	CONDUIT	#0
	.endm

	.macro	expect register, value, number
	ldr	r11, =\number
	ldr	r10, =\value
	cmp	\register, r10
	bne	wrong
	.endm

	/* r0: the INTID, with its source; ended, the timer off before */
	.macro	interrupt
	ldr	r10, =GICC
1:	wfi
	ldr	r0, [r10, #0x0c]		/* IAR */
	ldr	r12, =1023
	and	r11, r0, r12
	cmp	r11, r12
	beq	1b
	cmp	r11, #TIMER
	moveq	r12, #0
	mcreq	p15, 0, r12, c14, c3, 1		/* CNTV_CTL */
	isb
	str	r0, [r10, #0x10]		/* EOIR */
	.endm

	/* SGI id to vCPU r1 */
	.macro	sgi id
	dsb	sy
	mov	r2, #0x10000
	lsl	r2, r2, r1
	orr	r2, r2, #\id
	ldr	r3, =GICD + 0xf00		/* SGIR */
	str	r2, [r3]
	.endm

	.macro	timer_set ticks
	ldr	r0, =\ticks
	mcr	p15, 0, r0, c14, c3, 0		/* CNTV_TVAL */
	mov	r0, #1
	mcr	p15, 0, r0, c14, c3, 1		/* CNTV_CTL */
	isb
	.endm

	.macro	timer number
	timer_set 2000
	interrupt
	expect	r0, TIMER, \number
	.endm

	.text
	.global _start
_start:
	ldr	r8, =SHARED
	bl	gic_init
	mov	r0, #0				/* all but the first word */
	mov	r1, #4
1:	str	r0, [r8, r1]
	add	r1, r1, #4
	cmp	r1, #0x200
	bne	1b

	call	VERSION
	expect	r0, 0x10001, 1
	mrc	p15, 0, r0, c0, c0, 5		/* MPIDR */
	expect	r0, 0x80000000, 2
	timer	3
#if ENDING == END_COUNT
	isb
	mrrc	p15, 1, r4, r5, c14		/* CNTVCT */
	isb
	mrrc	p15, 1, r6, r7, c14
	sub	r6, r6, r4
	ldr	r0, =VERSION
	isb
	mrrc	p15, 1, r4, r5, c14
	CONDUIT	#0
	isb
	mrrc	p15, 1, r2, r3, c14
	sub	r2, r2, r4
	sub	r2, r2, r6
	add	r11, r2, #0x1000
	b	wrong
#endif

	/* errors */
	mov	r1, #CPUS
	ldr	r2, =secondary
	call	CPU_ON
	expect	r0, -2, 4
	mov	r1, #0
	ldr	r2, =secondary
	call	CPU_ON
	expect	r0, -4, 5
	mov	r1, #1
	mov	r2, #0x1000
	call	CPU_ON
	expect	r0, -9, 6
	call	CPU_OFF				/* the last one */
	expect	r0, -3, 7

	mov	r6, #1				/* the vCPU that this is about */
each:
	mov	r5, #2				/* rounds */
	ldr	r4, =CONTEXT_FIRST
	ldr	r9, =secondary
round:
	mov	r0, #0
	str	r0, [r8, #8]
	mov	r1, r6
	mov	r2, #0
	call	AFFINITY_INFO
	expect	r0, 1, 8
	mov	r1, r6
	mov	r2, r9
	mov	r3, r4
	call	CPU_ON
	expect	r0, 0, 9

#if ENDING == END_FAULT || ENDING == END_OFF_BY_OTHER
1:	wfi
	b	1b
#elif ENDING == END_FAULT_BUSY
1:	b	1b
#endif

1:	yield
	ldr	r0, [r8, #8]			/* the context it came with */
	cmp	r0, #0
	beq	1b
	mov	r11, #10
	cmp	r0, r4
	bne	wrong
	mov	r1, r6
	mov	r2, r9
	call	CPU_ON
	expect	r0, -4, 11
	mov	r1, r6
	mov	r2, #0
	call	AFFINITY_INFO
	expect	r0, 0, 12

	mov	r1, r6
	sgi	3
	interrupt
	mov	r11, #13
	lsl	r1, r6, #10
	orr	r1, r1, #5
	cmp	r0, r1
	bne	wrong
	timer	14
	mov	r1, r6
	sgi	4
1:	yield
	mov	r1, r6
	mov	r2, #0
	call	AFFINITY_INFO
	cmp	r0, #0
	beq	1b
	expect	r0, 1, 15
	ldr	r4, =CONTEXT_SECOND
	ldr	r9, =secondary_thumb + 1
	subs	r5, r5, #1
	bne	round
	add	r6, r6, #1
	cmp	r6, #CPUS
	bne	each

	/* Sleep: the timer's interrupt ends it, and is still there. */
	timer_set 3000
	mov	r1, #0
	call	CPU_SUSPEND
	expect	r0, 0, 16
	interrupt
	expect	r0, TIMER, 17
	timer_set 3000
	ldr	r1, =0x10000
	ldr	r2, =awake
	ldr	r3, =CONTEXT_SECOND
	call	CPU_SUSPEND
	mov	r11, #18
	b	wrong
awake:
	expect	r0, CONTEXT_SECOND, 19
	ldr	r8, =SHARED
	bl	gic_init
	interrupt
	expect	r0, TIMER, 20

	ldr	r0, [r8]
	cmp	r0, #1
	beq	1f
	mov	r0, #1
	str	r0, [r8]
	call	SYSTEM_RESET
	mov	r11, #21
	b	wrong
1:	mov	r0, #0
	str	r0, [r8]
	call	SYSTEM_OFF
	mov	r11, #22
	b	wrong

	.thumb
	.thumb_func
secondary_thumb:
	ldr	r1, =secondary
	bx	r1
	.pool
	.arm
	.balign	4
secondary:
	mov	r6, r0
	ldr	r8, =SHARED
	mrc	p15, 0, r7, c0, c0, 5		/* MPIDR */
	and	r1, r7, #0xff
	sub	r0, r7, r1
	expect	r0, 0x80000000, 32
	mrc	p15, 0, r0, c1, c0, 0		/* SCTLR */
	and	r0, r0, #5			/* M, C */
	expect	r0, 0, 33
	mrc	p15, 0, r0, c14, c3, 1		/* CNTV_CTL */
	expect	r0, 0, 34
#if ENDING == END_FAULT || ENDING == END_FAULT_BUSY
	mov	r11, #0x100
	b	wrong
#elif ENDING == END_OFF_BY_OTHER
	call	SYSTEM_OFF
#endif
	bl	gic_init
	str	r6, [r8, #8]
	dsb	sy
	interrupt
	expect	r0, 3, 35			/* from vCPU 0 */
	timer	36
	mov	r1, #0
	sgi	5
	interrupt
	expect	r0, 4, 37
	timer_set 1				/* off with its timer on, and about to signal */
	call	CPU_OFF
	mov	r11, #38
wrong:
	ldr	r10, =WRONG
	add	r10, r10, r11
	ldrb	r11, [r10], #1
	b	.

	/* This vCPU's part; the distributor is everyone's. */
gic_init:
	ldr	r10, =GICD
	mov	r0, #1
	str	r0, [r10]
	mov	r0, #(1 << TIMER)
	str	r0, [r10, #0x100]		/* ISENABLER0 */
	ldr	r10, =GICC
	mov	r0, #0xff
	str	r0, [r10, #4]			/* PMR */
	mov	r0, #1
	str	r0, [r10]
	dsb	sy
	bx	lr
	.ltorg
