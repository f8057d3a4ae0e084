/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This code plays the part of Arndale's U-Boot on a Versatile Express with Secure state, whose
 * cores all begin here in Secure SVC. Each core gives its interrupts to Non-secure state and waits,
 * or goes on, in the state that BOOT and OTHER name: HYP is what bootm does; SECURE_SVC is what
 * `go` does.
 *   HYP_BASE   where the hypervisor's image begins
 *   BOOT       state in which core 0 enters the hypervisor
 *   OTHER      state in which core 1 leaves its pen; NEVER: core 1 does not leave it
 *   COUNTER_HZ value that is left in CNTFRQ
 *   PREPARED   0: Secure state gave Non-secure state nothing
 *   LEFT_ON    1: MMU and caches of Secure state are on when core 0 enters the hypervisor
 */
	.arch	armv7ve
	.arch_extension sec
	.arch_extension virt
	.arm

#define HYP 0
#define MONITOR 1
#define SECURE_SVC 2
#define SVC 3
#define NEVER 4

#define GICD 0x2c001000
#define GICC 0x2c002000
#define SYS_FLAGS 0x1c010030
#define DEVICE_TREE 0x8f000000 /* no tree is there: the address is only handed over */

	.text
	.global	_start
_start:
	.if	PREPARED
	mvn	r1, #0
	ldr	r0, =GICD
	str	r1, [r0, #0x80]			/* IGROUPR0: this core's interrupts are Group 1 */
	ldr	r0, =GICC
	mov	r1, #0xff
	str	r1, [r0, #4]			/* PMR */
	mov	r1, #3
	str	r1, [r0]			/* CTLR: both groups */
	ldr	r0, =0x43fff
	mcr	p15, 0, r0, c1, c1, 2		/* NSACR: coprocessors, NS_SMP */
	.endif
	ldr	r0, =COUNTER_HZ
	mcr	p15, 0, r0, c14, c0, 0		/* CNTFRQ */
	ldr	r0, =monitor_vectors
	mcr	p15, 0, r0, c12, c0, 1		/* MVBAR */
	mrc	p15, 0, r0, c0, c0, 5		/* MPIDR */
	ands	r0, r0, #3
	bne	pen

	.if	PREPARED
	ldr	r0, =GICD
	mvn	r1, #0
	add	r3, r0, #0x84
	add	r2, r0, #0x100
1:	str	r1, [r3], #4			/* IGROUPR1 and on, as many as can exist */
	cmp	r3, r2
	blo	1b
	mov	r1, #3
	str	r1, [r0]			/* GICD_CTLR */
	.endif
	.if	LEFT_ON
	bl	mmu_on
	.endif
	ldr	r1, =HYP_BASE
	ldr	r2, =DEVICE_TREE
	mov	r3, #BOOT
	b	enter

pen:
	.if	OTHER == NEVER
	ldr	r0, =GICC
	mov	r1, #0
	str	r1, [r0]			/* else the wake-up interrupt keeps it awake */
1:	wfi
	b	1b
	.endif
	wfi
	ldr	r0, =SYS_FLAGS
	ldr	r1, [r0]
	cmp	r1, #0
	beq	pen
	mov	r3, #OTHER

/* r1 = address to enter, r2 = device tree, r3 = state to enter it in */
enter:
	cpsie	a
	cmp	r3, #SECURE_SVC
	bxeq	r1
	smc	#0
	b	.

in_monitor:
	cpsie	a
	cmp	r3, #MONITOR
	bxeq	r1
	movw	r0, #0x131			/* SCR: NS, FW, AW, HCE */
	mcr	p15, 0, r0, c1, c1, 0
	isb
	mov	r0, #0xd3
	cmp	r3, #HYP
	moveq	r0, #0xda
	msr	spsr_cxsf, r0
	mov	lr, r1
	movs	pc, lr

/* An identity map of memory alone, in sections: code that leaves it on reaches no device. */
mmu_on:
	ldr	r0, =table
	mov	r3, #0				/* faults */
	mov	r1, #0
1:	cmp	r1, #0x400
	ldreq	r3, =0x40011c0e			/* normal, write-back, shared */
	str	r3, [r0, r1, lsl #2]
	addhs	r3, r3, #0x100000
	add	r1, r1, #1
	cmp	r1, #0x1000
	bne	1b
	mov	r3, #0
	mcr	p15, 0, r3, c2, c0, 2		/* TTBCR */
	mcr	p15, 0, r0, c2, c0, 0		/* TTBR0 */
	mvn	r3, #0
	mcr	p15, 0, r3, c3, c0, 0		/* DACR: manager */
	dsb
	mcr	p15, 0, r3, c8, c7, 0		/* TLBIALL */
	dsb
	isb
	ldr	r3, =0x00c5187d			/* SCTLR: M, C, Z, I */
	mcr	p15, 0, r3, c1, c0, 0
	isb
	bx	lr

	.ltorg
	.balign	32
monitor_vectors:
	b	.
	b	.
	b	in_monitor			/* SMC */
	b	.
	b	.
	b	.
	b	.
	b	.
	.balign	0x4000
table:
	.space	0x4000
