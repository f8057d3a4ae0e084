/* SPDX-License-Identifier: Apache-2.0 */
/* A stack, and C; for arch/exynos_drivers.c. */
	.arch	armv7-a
	.arm
	.text
	.global	_start
_start:
	cpsid	aif
	mrc	p15, 0, r0, c0, c0, 5		/* MPIDR: core 0 alone */
	ands	r0, r0, #3
1:	wfine
	bne	1b
	ldr	sp, =stack_end
	bl	drivers_main
	b	.
	.ltorg
	.bss
	.balign	8
	.space	0x1000
stack_end:
