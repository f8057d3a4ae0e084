/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The start of a core other than the boot core. smp_boot_entry reports the core's level and parks
 * the core. core_entry leads to C, both for a waiting core and for a core that firmware starts
 * (PSCI, DEN0022 6.4: translation and data cache off).
 */
#include "arch/control.h"
#include "drivers/gic/gic_regs.h"
#include "hyp/cpu/smp_boot.h"

#define CURRENTEL_EL2 8

	.section .text.secondary, "ax"
	.global smp_boot_entry
smp_boot_entry:
	msr	daifset, #0xf
	mrs	x0, mpidr_el1
	and	x0, x0, #(CORE_MAX - 1)
	ldr	x1, =core_report
	add	x1, x1, x0, lsl #CORE_REPORT_SHIFT

	/* A masked interrupt also ends WFI, so SGIs are the only private interrupts that stay
	 * enabled. */
	ldr	x3, =board
	ldp	x5, x3, [x3]			/* GICD, GICC */
	cbz	x3, 1f
	mov	w4, #0xffff0000
	str	w4, [x5, #GICD_ICENABLER]
	mov	w4, #0xff
	str	w4, [x3, #GICC_PMR]
	mov	w4, #(GICC_CTLR_ENABLE_GRP0 | GICC_CTLR_ENABLE_GRP1)
	str	w4, [x3, #GICC_CTLR]
1:	mrs	x2, currentel
	lsr	x2, x2, #2
	str	x2, [x1, #CORE_LEVEL]
	dc	civac, x1			/* the core may have its cache on */
	dsb	sy
	cbz	x3, 5f
2:	wfi
	ldr	x4, [x1, #CORE_GO]
	cbnz	x4, 3f
	ldr	w4, [x3, #GICC_IAR]		/* spurious: the SGI must not wake the core again */
	str	w4, [x3, #GICC_EOIR]
	b	2b
3:	br	x4

	/* A GICv3 signals nothing before the core has set its interface up, so an event ends the
	 * wait. Emulators would spin in WFE, but have a GICv2 if cores wait here. */
5:	ldr	x4, [x1, #CORE_GO]
	cbnz	x4, 3b
	wfe
	b	5b

	.global	core_entry
core_entry:
	msr	daifset, #0xf
	mrs	x0, currentel
	cmp	x0, #CURRENTEL_EL2
	b.ne	4f				/* the boot core's wait times out */
	msr	spsel, #1
	ldr	x0, =SCTLR_EL2_OFF
	msr	sctlr_el2, x0
	ldr	x0, =HCR_RW
	bl	el2_reset
	mrs	x0, mpidr_el1
	and	x0, x0, #(CORE_MAX - 1)
	ldr	x1, =core_stack + (1 << CORE_STACK_SHIFT)
	add	x1, x1, x0, lsl #CORE_STACK_SHIFT
	mov	sp, x1
	b	core_main
4:	wfi
	b	4b
	.ltorg
