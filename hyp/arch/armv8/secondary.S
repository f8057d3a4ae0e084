/* SPDX-License-Identifier: Apache-2.0 */
/* A core that is not the boot core: it says at which level it came, and is parked. */
#include "hyp/secondary.h"

	.section .text.secondary, "ax"
	.global secondary_entry
secondary_entry:
	msr	daifset, #0xf
	mrs	x0, mpidr_el1
	and	x0, x0, #(CORE_MAX - 1)
	ldr	x1, =core_report
	add	x1, x1, x0, lsl #CORE_REPORT_SHIFT

	/* WFI ends for a masked interrupt, too: none is signalled (GICC_CTLR, the first word). */
	ldr	x3, [x1, #CORE_GICC]
	cbz	x3, 1f
	str	wzr, [x3]
1:	mrs	x2, currentel
	lsr	x2, x2, #2
	str	x2, [x1, #CORE_LEVEL]
	dc	civac, x1			/* where this core came with its cache on */
	dsb	sy
2:	wfi
	b	2b
	.ltorg
