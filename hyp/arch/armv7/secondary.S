/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core that is not the boot core: it says in which mode it came, and is parked. What woke it is
 * still pending; its CPU interface goes off, or its WFI would never wait.
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
