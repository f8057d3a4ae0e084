/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guest's first instructions: in Supervisor mode with MMU and caches off, interrupts masked,
 * r0 = struct guest_run. Makes a C environment and goes on in guest_main().
 */
#include "abi/guest_run.h"

	.arch	armv7ve
	.fpu	neon-vfpv4
	.arm

#define MODE_IRQ 0x12
#define MODE_SVC 0x13

	.macro	load_address, register, symbol
	movw	\register, #:lower16:\symbol
	movt	\register, #:upper16:\symbol
	.endm

	.section .text.start, "ax"
	.global	guest_entry
guest_entry:
	cpsid	aif, #MODE_IRQ
	load_address sp, __irq_stack_end
	cps	#MODE_SVC
	load_address sp, __stack_end
	load_address r1, guest_vectors
	mcr	p15, 0, r1, c12, c0, 0		/* VBAR */

	/* No FP or SIMD trap at PL1 and PL0 (CPACR cp10, cp11), then FPEXC.EN: the C library may
	 * use them. */
	mrc	p15, 0, r1, c1, c0, 2
	orr	r1, r1, #0xf << 20
	mcr	p15, 0, r1, c1, c0, 2
	isb
	ldr	r2, [r0, #GUEST_RUN_NO_FP]
	cmp	r2, #0
	mov	r1, #1 << 30
	vmsreq	fpexc, r1
	/* The counters for PL0 (CNTKCTL.PL0PCTEN, PL0VCTEN). */
	mov	r1, #3
	mcr	p15, 0, r1, c14, c1, 0
	isb

	load_address r1, __bss_start
	load_address r2, __bss_end
	mov	r4, #0
	mov	r5, #0
1:	cmp	r1, r2
	bhs	guest_main
	stmia	r1!, {r4, r5}
	b	1b
