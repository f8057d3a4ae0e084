/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core that is not the boot core. It says in which mode it came, and is parked: what woke it is
 * still pending, and its CPU interface goes off, or its WFI would never wait. core_entry is where one
 * that firmware starts (PSCI, DEN0022 6.4: translation and data cache off) goes on to C.
 */
#include "arch/psr.h"
#include "hyp/arch/armv7/entry.h"
#include "hyp/boot_state.h"
#include "hyp/secondary.h"

	.arch	armv7ve
	.arm

	.section .text.secondary, "ax"
	.global secondary_entry
secondary_entry:
	cpsid	aif
	setend	le
	mrs	r0, cpsr
	and	r0, r0, #PSR_MODE
	cmp	r0, #PSR_MODE_HYP
	beq	1f
	cmp	r0, #PSR_MODE_MON
	beq	1f
	cps	#PSR_MODE_SVC
1:	bl	entry_level
	mrc	p15, 0, r1, c0, c0, 5		/* MPIDR */
	and	r1, r1, #(CORE_MAX - 1)
	load_address r2, core_report
	add	r2, r2, r1, lsl #CORE_REPORT_SHIFT
	ldr	r1, [r2, #CORE_GICC]
	cmp	r1, #0
	movne	r3, #0
	strne	r3, [r1]			/* GICC_CTLR */
	str	r0, [r2, #CORE_LEVEL]
	mcr	p15, 0, r2, c7, c14, 1		/* DCCIMVAC: it may have come with its cache on */
	dsb	sy
1:	wfi
	b	1b

	.global core_entry
core_entry:
	cpsid	aif
	setend	le
	mrs	r0, cpsr
	and	r0, r0, #PSR_MODE
	cmp	r0, #PSR_MODE_HYP
	bne	1b				/* it is missed by the boot core */
	load_address r0, HSCTLR_OFF
	mcr	p15, 4, r0, c1, c0, 0		/* HSCTLR */
	load_address r0, vectors
	mcr	p15, 4, r0, c12, c0, 0		/* HVBAR */
	isb
	mov	r0, #0
	mcr	p15, 4, r0, c8, c7, 0		/* TLBIALLH */
	mcr	p15, 4, r0, c8, c7, 4		/* TLBIALLNSNH */
	mcr	p15, 0, r0, c7, c5, 0		/* ICIALLU */
	mcr	p15, 0, r0, c7, c5, 6		/* BPIALL */
	dsb	sy
	isb
	mrc	p15, 0, r0, c0, c0, 5		/* MPIDR */
	and	r0, r0, #(CORE_MAX - 1)
	load_address r1, core_stack
	add	r2, r0, #1
	add	sp, r1, r2, lsl #CORE_STACK_SHIFT
	b	core_main
