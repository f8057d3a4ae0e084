/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first steps of every core: entry_level reports the core's state, and early_vectors report an
 * exception that comes before the hypervisor's own vectors are in use.
 */
#include "arch/psr.h"
#include "hyp/arch/armv7/entry.h"
#include "hyp/base/boot_state.h"
#include "hyp/cpu/smp_boot.h"

	.arch	armv7ve
	.arch_extension sec
	.arch_extension virt
	.arm

	.section .text.entry, "ax"
/*
 * Return r0 = ENTRY_* of this core. Exceptions go to early_vectors afterwards, in ARM state and
 * with little-endian data. A mode other than HYP and monitor becomes Supervisor mode. The code
 * needs no stack and changes r1 to r3.
 *
 * A read of SCR detects Non-secure PL1, where it is undefined (DDI 0406C B4.1.129).
 */
	.global entry_level
entry_level:
	mrs	r1, cpsr
	and	r1, r1, #PSR_MODE
	load_address r2, early_vectors
	cmp	r1, #PSR_MODE_HYP
	bne	1f
	mrc	p15, 4, r3, c1, c0, 0		/* HSCTLR */
	bic	r3, r3, #(SCTLR_TE | SCTLR_EE)
	mcr	p15, 4, r3, c1, c0, 0
	mcr	p15, 4, r2, c12, c0, 0		/* HVBAR */
	isb
	mov	r0, #ENTRY_EL2
	bx	lr

	/* Monitor mode accesses the registers of the state that SCR.NS selects, and its exceptions
	 * use the registers of Secure state. */
1:	mov	r3, lr				/* lr is banked */
	cmp	r1, #PSR_MODE_MON
	beq	3f
	cps	#PSR_MODE_SVC
	mov	lr, r3
3:	moveq	r0, #0
	mcreq	p15, 0, r0, c1, c1, 0		/* SCR */
	isb
	mrc	p15, 0, r3, c1, c0, 0		/* SCTLR */
	bic	r3, r3, #(SCTLR_TE | SCTLR_EE)
	bic	r3, r3, #SCTLR_V
	mcr	p15, 0, r3, c1, c0, 0
	moveq	r0, #ENTRY_EL3
	beq	2f
	load_address r0, probe_vectors
	mcr	p15, 0, r0, c12, c0, 0		/* VBAR */
	isb
	mrc	p15, 0, r0, c1, c1, 0		/* SCR */
	mov	r0, #ENTRY_SECURE_SVC
2:	mcr	p15, 0, r2, c12, c0, 0
	isb
	bx	lr

non_secure:
	cps	#PSR_MODE_SVC
	mov	r0, #ENTRY_EL1
	b	2b

	/* All vectors but number n branch to early_exception. */
	.macro	vectors_but n, handler
	.rept	\n
	b	early_exception
	.endr
	b	\handler
	.rept	7 - \n
	b	early_exception
	.endr
	.endm

	.balign	32
probe_vectors:
	vectors_but 1, non_secure		/* undefined instruction */

	.global early_vectors
early_vectors:
	vectors_but 0, early_exception

	/* Discard one asynchronous abort, which is masked afterwards. */
	.global drain_vectors
drain_vectors:
	vectors_but 4, 1f			/* data abort, in HYP mode */
1:	mrs	r0, spsr
	orr	r0, r0, #PSR_A
	msr	spsr_cxsf, r0
	eret

/* Turn translation off and set a stack, in any mode. The boot core reports the exception. Another
 * core parks, and the boot core's wait for it times out. */
early_exception:
	cpsid	aif
	mrc	p15, 0, r0, c0, c0, 5		/* MPIDR */
	ands	r0, r0, #(CORE_MAX - 1)
	bne	park
	mrs	r0, cpsr
	and	r0, r0, #PSR_MODE
	cmp	r0, #PSR_MODE_HYP
	load_address r1, HSCTLR_OFF
	mcreq	p15, 4, r1, c1, c0, 0		/* HSCTLR */
	load_address r1, SCTLR_EL1_OFF
	mcrne	p15, 0, r1, c1, c0, 0		/* SCTLR */
	isb
	load_address sp, __boot_stack_end
	bl	early_exception_report
park:
	wfi
	b	park
