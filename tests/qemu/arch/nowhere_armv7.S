/* SPDX-License-Identifier: Apache-2.0 */
/* As nowhere_armv8.S, with fault status registers: DFSR of a load and of a walk (SYNDROME, WALK),
 * IFSR (FETCH) in the long format; in the short one they are what they are. */
#include "wrong.h"

#define UART 0x09000000
#define NOWHERE 0x0a000000
#define SYSTEM_OFF 0x84000008
#define HIGH 0x80000000 /* an address that TTBR1 translates */
#define TABLE 0x41000000
#define WNR (1 << 11)
#define SHORT_SYNDROME 0x008
#define SHORT_WALK 0x00c
#define FLAGS 0xa0000000
#define SVC (FLAGS | 0xd3)
#define USR (FLAGS | 0xd0)
#define ABT (FLAGS | 0x1d7) /* with A masked, too */
#define THUMB 0x20
#define IT_EQ (0x40000000 | 0x800) /* Z, and the one instruction of an IT block */
#define BIG 0x200

#define DATA_ABORT 0x10
#define PREFETCH_ABORT 0x0c

	.syntax	unified
	.arch_extension virt
	.arm

	/* The handler comes back behind the instruction, in ABT mode; r0: where. */
	.macro	aborts psr, fsr, far, insn:vararg
	ldr	r1, =\psr
	ldr	r10, =8f
	msr	cpsr_fsxc, r1
7:	\insn
	bl	wrong
8:	ldr	r1, =DATA_ABORT
	ldr	r2, =\fsr
	ldr	r3, =\far
	ldr	r11, =7b + 8
	ldr	r12, =\psr
	bl	check
	.endm

	.macro	fetch_aborts psr, fsr
	ldr	r1, =\psr
	ldr	r10, =8f
	msr	cpsr_fsxc, r1
	bx	r0
8:	ldr	r1, =PREFETCH_ABORT
	ldr	r2, =\fsr
	mov	r3, r0
	add	r11, r0, #4
	ldr	r12, =\psr
	bl	check
	.endm

	.macro	change_sctlr op, bits
	mrc	p15, 0, r1, c1, c0, 0
	\op	r1, r1, #\bits
	mcr	p15, 0, r1, c1, c0, 0
	isb
	.endm

	.macro	ttbcr value
	ldr	r1, =\value
	mcr	p15, 0, r1, c2, c0, 2
	isb
	.endm

	.globl	_start
_start:
	ldr	r1, =vectors
	mcr	p15, 0, r1, c12, c0, 0	/* VBAR */
	ldr	r9, =ABT
	ldr	r0, =NOWHERE
	aborts	SVC, SHORT_SYNDROME, NOWHERE, ldr r1, [r0]
	aborts	SVC, SHORT_SYNDROME, NOWHERE + 3, ldrb r1, [r0, #3]
	aborts	SVC, SHORT_SYNDROME, NOWHERE, ldmia r0!, {r1, r2}
	aborts	SVC, SHORT_SYNDROME | WNR, NOWHERE + 4, str r1, [r0, #4]
	aborts	USR, SHORT_SYNDROME | WNR, NOWHERE, str r1, [r0]
	fetch_aborts SVC, SHORT_SYNDROME
	fetch_aborts USR, SHORT_SYNDROME
	mcr	p15, 0, r0, c7, c14, 1	/* DCCIMVAC: nothing to maintain */

	ttbcr	1 << 31			/* EAE */
	aborts	SVC, SYNDROME, NOWHERE, ldr r1, [r0]
	aborts	USR, SYNDROME | WNR, NOWHERE, str r1, [r0]
	fetch_aborts SVC, FETCH
	change_sctlr orr, 1 << 25	/* EE */
	ldr	r9, =ABT | BIG
	aborts	SVC, SYNDROME, NOWHERE, ldr r1, [r0]
	change_sctlr bic, 1 << 25
	ldr	r9, =0x400001d7		/* of an IT block nothing is left */
	ldr	r1, =0x400000d3
	ldr	r10, =1f
	msr	cpsr_fsxc, r1
	ldr	r1, =thumb
	bx	r1
1:	ldr	r1, =DATA_ABORT
	ldr	r2, =SYNDROME
	mov	r3, r0
	ldr	r11, =faults + 8
	ldr	r12, =IT_EQ | 0xd3 | THUMB
	bl	check
	ldr	r9, =ABT

	/* Walks: RAM as it is by TTBR0, and TTBR1 leads nowhere. */
	ldr	r4, =TABLE
	ldr	r5, =0x401		/* blocks: AF */
	mov	r6, #0
	ldr	r7, =0x40000401
	str	r5, [r4]
	str	r6, [r4, #4]
	str	r7, [r4, #8]
	str	r6, [r4, #12]
	mcrr	p15, 0, r4, r6, c2	/* TTBR0 */
	mcrr	p15, 1, r0, r6, c2	/* TTBR1 */
	mov	r1, #0x44		/* Normal, not cached */
	mcr	p15, 0, r1, c10, c2, 0	/* MAIR0 */
	ttbcr	1 << 31 | 1 << 16 | 1
	change_sctlr orr, 1
	ldr	r0, =HIGH
	aborts	SVC, WALK, HIGH, ldr r1, [r0]
	aborts	SVC, WALK | WNR, HIGH, str r1, [r0]
	change_sctlr bic, 1

	ldr	r4, =TABLE
	ldr	r5, =0xc02		/* sections */
1:	str	r5, [r4], #4
	add	r5, r5, #1 << 20
	tst	r5, #HIGH
	beq	1b
	ttbcr	1
	ldr	r4, =TABLE
	ldr	r1, =NOWHERE
	mcr	p15, 0, r4, c2, c0, 0
	mcr	p15, 0, r1, c2, c0, 1
	mov	r1, #3
	mcr	p15, 0, r1, c3, c0, 0	/* DACR */
	mcr	p15, 0, r1, c8, c7, 0	/* TLBIALL */
	isb
	change_sctlr orr, 1
	aborts	SVC, SHORT_WALK, HIGH, ldr r1, [r0]

	ldr	r0, =UART
	ldr	r1, =well
1:	ldrb	r2, [r1], #1
	cmp	r2, #0
	strne	r2, [r0]
	bne	1b
	b	off

	/* r1 to r3, r11, r12: vector, fault status, address, LR and SPSR as they should be, r9:
	   the handler's CPSR; what they are: r4 to r8, r10 */
check:
	add	r3, r3, #FAR
	add	r12, r12, #SPSR
	cmp	r4, r1
	add	r1, r9, #PSTATE
	cmpeq	r5, r2
	cmpeq	r6, r3
	cmpeq	r7, r11
	cmpeq	r8, r12
	cmpeq	r10, r1
	bne	wrong
	mov	r1, lr
	cps	#0x13
	bx	r1

wrong:
	ldr	r1, =_start
	sub	r1, lr, r1
	ldr	r0, =WRONG
	add	r0, r0, r1
	ldrb	r1, [r0], #1
off:	ldr	r0, =SYSTEM_OFF		/* where the distributor is the guest's own */
	hvc	#0
	b	.
well:	.asciz	"as it should be\n"
	.balign	4
	.ltorg

	.balign	4
	.thumb
	.thumb_func
thumb:	it	eq
faults:	ldreq	r1, [r0]
	b	.
	.arm

	.balign	32
vectors:
	b	wrong
	b	wrong
	b	wrong
	b	prefetch_abort
	b	data_abort
	b	wrong
	b	wrong
	b	wrong

	.macro	taken vector, status, address
	mrs	r4, cpsr
	setend	le
	mrc	p15, 0, r5, c5, c0, \status
	mrc	p15, 0, r6, c6, c0, \address
	mov	r7, lr
	mrs	r8, spsr
	mov	lr, r10
	mov	r10, r4
	mov	r4, #\vector
	bx	lr
	.endm

prefetch_abort:
	taken	PREFETCH_ABORT, 1, 2
data_abort:
	taken	DATA_ABORT, 0, 0
	.ltorg
