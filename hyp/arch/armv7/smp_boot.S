/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The start of a core other than the boot core. smp_boot_entry reports the core's mode and parks
 * the core. core_entry leads to C, both for a core that waits in HYP mode and for a core that
 * firmware starts (PSCI, DEN0022 6.4: translation and data cache off). A core of gem5 starts in
 * Secure Supervisor mode, and enters HYP mode as the boot core does.
 */
#include "arch/psr.h"
#include "drivers/gic/gic_regs.h"
#include "hyp/arch/armv7/entry.h"
#include "hyp/base/boot_state.h"
#include "hyp/cpu/smp_boot.h"

	.arch	armv7ve
	.arm

	.section .text.secondary, "ax"
	.global smp_boot_entry
smp_boot_entry:
	cpsid	aif
	setend	le
	bl	entry_level
	mrc	p15, 0, r1, c0, c0, 5		/* MPIDR */
	and	r1, r1, #(CORE_MAX - 1)
	load_address r2, core_report
	add	r2, r2, r1, lsl #CORE_REPORT_SHIFT

	/* A masked interrupt also ends WFI, so SGIs are the only private interrupts that stay
	 * enabled. The SGI that woke the core may still be pending. */
	load_address r3, board
	ldm	r3, {r4, r5}			/* GICD, GICC */
	mov	r3, #0
	cmp	r0, #ENTRY_EL2
	bne	1f
	movw	r3, #0
	movt	r3, #0xffff
	str	r3, [r4, #GICD_ICENABLER]
	mov	r3, #0xff
	str	r3, [r5, #GICC_PMR]
	mov	r3, #(GICC_CTLR_ENABLE_GRP0 | GICC_CTLR_ENABLE_GRP1)
1:	str	r3, [r5, #GICC_CTLR]
	str	r0, [r2, #CORE_LEVEL]
	mcr	p15, 0, r2, c7, c14, 1		/* DCCIMVAC: the core may have its cache on */
	dsb	sy
	load_address r3, board
	ldr	r3, [r3, #BOARD_GEM5_ARMV7]
	cmp	r3, #0
	bne	3f
2:	wfi
	ldr	r1, [r2, #CORE_GO]
	cmp	r1, #0
	bxne	r1
	cmp	r0, #ENTRY_EL2
	ldreq	r1, [r5, #GICC_IAR]		/* spurious: the SGI must not wake the core again */
	streq	r1, [r5, #GICC_EOIR]
	b	2b
3:	wfe /* the core's CPU interface is off, so an event ends the wait */
	ldr	r1, [r2, #CORE_GO]
	cmp	r1, #0
	beq	3b
	bx	r1

	.global core_entry
core_entry:
	cpsid	aif
	setend	le
	mrc	p15, 0, r6, c0, c0, 5		/* MPIDR */
	and	r6, r6, #(CORE_MAX - 1)
	load_address r7, core_stack
	add	r0, r6, #1
	add	r7, r7, r0, lsl #CORE_STACK_SHIFT
	load_address r0, board
	ldr	r0, [r0, #BOARD_GEM5_ARMV7]
	cmp	r0, #0
	beq	4f
	cps	#PSR_MODE_MON
	mov	sp, r7
	bl	monitor_to_hyp
4:	mrs	r0, cpsr
	and	r0, r0, #PSR_MODE
	cmp	r0, #PSR_MODE_HYP
5:	wfine					/* the boot core's wait times out */
	bne	5b
	bl	hyp_translation_off
	load_address r0, vectors
	mcr	p15, 4, r0, c12, c0, 0		/* HVBAR */
	isb
	mov	r0, r6
	mov	sp, r7
	b	core_main
