/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every core needs on its way in: which state it is in, and vectors that say one line and
 * stop, whatever goes wrong before the hypervisor's own are there.
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
 * r0 = ENTRY_* of this core. Exceptions come to early_vectors afterwards, in ARM state and with
 * little-endian data. Of the modes but HYP and monitor it wants Supervisor mode. Needs no stack;
 * uses up r1 to r3.
 *
 * Secure state is told from Non-secure by SCR, which exists in the former alone: its read is
 * undefined in Non-secure PL1 (DDI 0406C B4.1.129).
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

	/* Monitor mode sees the registers of the state that SCR.NS names; its exceptions are those
	   of Secure state. */
1:	cmp	r1, #PSR_MODE_MON
	moveq	r0, #0
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

	.balign	32
probe_vectors:
	b	early_exception
	b	non_secure			/* undefined instruction */
	.rept	6
	b	early_exception
	.endr

	.global early_vectors
early_vectors:
	.rept	8
	b	early_exception
	.endr

	/* Forgets an asynchronous abort, once: it stays masked afterwards. */
	.balign	32
	.global drain_vectors
drain_vectors:
	.rept	4
	b	early_exception
	.endr
	b	1f				/* data abort, in HYP mode */
	.rept	3
	b	early_exception
	.endr
1:	mrs	r0, spsr
	orr	r0, r0, #PSR_A
	msr	spsr_cxsf, r0
	eret

/* In whatever mode, with whatever translation: off with it, and a stack. The boot core says what
 * came; another one has no console of its own and is missed by the boot core. */
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
	load_address r1, SCTLR_OFF
	mcrne	p15, 0, r1, c1, c0, 0		/* SCTLR */
	isb
	load_address sp, __boot_stack_end
	bl	early_exception_report
park:
	wfi
	b	park
