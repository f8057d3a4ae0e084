/* SPDX-License-Identifier: Apache-2.0 */
/* A core that is not the boot core: it says in which mode it came, and is parked. */
#include "arch/psr.h"
#include "hyp/boot_state.h"
#include "hyp/secondary.h"

	.arch	armv7ve
	.arm

	.section .text.secondary, "ax"
	.global secondary_entry
secondary_entry:
	cpsid	aif
	mrc	p15, 0, r0, c0, c0, 5		/* MPIDR */
	and	r0, r0, #(CORE_MAX - 1)
	movw	r1, #:lower16:core_report
	movt	r1, #:upper16:core_report
	add	r1, r1, r0, lsl #CORE_REPORT_SHIFT
	mrs	r2, cpsr
	and	r2, r2, #PSR_MODE
	mov	r3, #ENTRY_EL1
	cmp	r2, #PSR_MODE_HYP
	moveq	r3, #ENTRY_EL2
	cmp	r2, #PSR_MODE_MON
	moveq	r3, #ENTRY_EL3
	str	r3, [r1]
	dsb	sy
1:	wfi
	b	1b
