/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first instructions: from the boot loader's state to C in HYP mode with translation and caches
 * off. In monitor mode the code grants HYP mode the features that Secure state controls, then
 * enters HYP mode. In any other mode C reports the mode and stops.
 */
#include "arch/psr.h"
#include "hyp/arch/armv7/entry.h"
#include "hyp/base/boot_state.h"

	.arch	armv7ve
	.arch_extension sec
	.arch_extension virt
	.arm

/* SCR (DDI 0406C B4.1.129): Non-secure, HVC enabled; FW, AW: Non-secure code masks FIQs and aborts.
 * SCD is 0, so SMC is enabled. IRQ, FIQ and EA are 0, so no exception goes to monitor mode. */
#define SCR_NS (1 << 0)
#define SCR_FW (1 << 4)
#define SCR_AW (1 << 5)
#define SCR_HCE (1 << 8)

	.section .text.start, "ax"
	.global _start
_start:
	mrs	r6, cpsr			/* r4 to r9: struct boot_state */
	cpsid	aif
	setend	le
	mrrc	p15, 0, r4, r5, c14		/* CNTPCT */

	/* Core 0 boots. Other cores that start here report their level. */
	mrc	p15, 0, r0, c0, c0, 5		/* MPIDR */
	ands	r0, r0, #0xff
	bne	smp_boot_entry
	bl	entry_level			/* call before r8 is set: FIQ mode banks r8 */
	load_address r1, board
	ldr	r1, [r1, #BOARD_GEM5_ARMV7]
	cmp	r1, #0
	beq	1f
	cps	#PSR_MODE_MON
	mov	r0, #ENTRY_EL3
1:	mov	r7, r0
	bl	clean_image
	mov	r9, #0
	cmp	r7, #ENTRY_EL2
	beq	2f
	mrc	p15, 0, r8, c1, c0, 0		/* SCTLR */
	load_address r0, SCTLR_EL1_OFF
	mcr	p15, 0, r0, c1, c0, 0
	isb
	mov	r0, #0
	mcr	p15, 0, r0, c8, c7, 0		/* TLBIALL */
	bl	invalidate_fetches
	b	clear_bss

2:	mrc	p15, 4, r8, c1, c0, 0		/* HSCTLR */
	mrc	p15, 4, r9, c1, c1, 0		/* HCR */
	bl	hyp_translation_off

clear_bss:
	load_address r0, __bss_start
	load_address r1, __bss_end		/* both ends are 16-byte aligned */
	mov	r2, #0
	mov	r3, #0
1:	strd	r2, r3, [r0], #8
	cmp	r0, r1
	blo	1b

	load_address r0, boot_state
	stm	r0, {r4-r9}

	load_address sp, __boot_stack_end
	cmp	r7, #ENTRY_EL3
	bleq	monitor_to_hyp
	cmp	r7, #ENTRY_EL2
	cmpne	r7, #ENTRY_EL3
	bne	1f
	load_address sp, __boot_stack_end	/* HYP mode's own sp */

	/*
	 * Take an asynchronous abort that the loader left pending: otherwise the first guest would
	 * take it.
	 */
	load_address r0, drain_vectors
	mcr	p15, 4, r0, c12, c0, 0
	isb
	cpsie	a
	isb
	cpsid	a
	load_address r0, vectors
	mcr	p15, 4, r0, c12, c0, 0		/* HVBAR */
	isb
1:	bl	hyp_main
	b	.

/* Return in HYP mode, whose sp is not set. The code changes r4 and r5. */
	.global	monitor_to_hyp
monitor_to_hyp:
	mov	r4, lr
	bl	secure_setup
	movw	r0, #(SCR_NS | SCR_FW | SCR_AW | SCR_HCE)
	mcr	p15, 0, r0, c1, c1, 0		/* SCR */
	isb
	bl	hyp_translation_off
	load_address r0, early_vectors
	mcr	p15, 4, r0, c12, c0, 0		/* HVBAR */
	mov	r0, #(PSR_AIF | PSR_MODE_HYP)
	msr	spsr_cxsf, r0
	mov	lr, r4
	movs	pc, lr

/* Callable in HYP mode, or in monitor mode with SCR.NS. */
	.global	hyp_translation_off
hyp_translation_off:
	load_address r0, HSCTLR_OFF
	mcr	p15, 4, r0, c1, c0, 0		/* HSCTLR */
	isb
	mov	r0, #0
	mcr	p15, 4, r0, c8, c7, 0		/* TLBIALLH */
	mcr	p15, 4, r0, c8, c7, 4		/* TLBIALLNSNH */
invalidate_fetches:
	mcr	p15, 0, r0, c7, c5, 0		/* ICIALLU */
	mcr	p15, 0, r0, c7, c5, 6		/* BPIALL */
	dsb	sy
	isb
	bx	lr

/*
 * Clean the image's cache lines to memory: a loader may have left the lines dirty and its cache on.
 */
clean_image:
	mrc	p15, 0, r3, c0, c0, 1		/* CTR */
	ubfx	r3, r3, #16, #4
	mov	r2, #4
	lsl	r2, r2, r3			/* size of the smallest data cache line, in bytes */
	load_address r0, __image_start
	load_address r1, __image_end
1:	mcr	p15, 0, r0, c7, c14, 1		/* DCCIMVAC */
	add	r0, r0, r2
	cmp	r0, r1
	blo	1b
	dsb	sy
	bx	lr
