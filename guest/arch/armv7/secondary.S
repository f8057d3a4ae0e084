/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/secondary.h"

	.arch	armv7ve
	.arm

/*
 * The first instructions of a vCPU that secondary_start() starts, in the state that vCPU 0 has at
 * guest_entry. The code must not store before the MMU is on, because the stores would bypass the
 * caches. It continues in secondary_main(index).
 */
	.text
	.global	guest_secondary_entry
guest_secondary_entry:
	movw	r1, #:lower16:secondary_control
	movt	r1, #:upper16:secondary_control
	ldm	r1, {r2-r11}			/* 64-bit values: TCR, MAIR, TTBR0, VBAR, SCTLR */
	mcr	p15, 0, r2, c2, c0, 2		/* TTBCR */
	isb
	mcr	p15, 0, r4, c10, c2, 0		/* MAIR0 */
	mcr	p15, 0, r5, c10, c2, 1		/* MAIR1 */
	mcrr	p15, 0, r6, r7, c2		/* TTBR0 */
	mcr	p15, 0, r8, c12, c0, 0		/* VBAR */
	isb
	mcr	p15, 0, r0, c8, c7, 0		/* TLBIALL */
	dsb	nsh
	mcr	p15, 0, r10, c1, c0, 0		/* SCTLR */
	isb
	mrc	p15, 0, r0, c0, c0, 5		/* MPIDR */
	and	r0, r0, #0xff
	movw	r1, #:lower16:secondary_stacks
	movt	r1, #:upper16:secondary_stacks
	add	sp, r1, r0, lsl #SECONDARY_STACK_SHIFT	/* vCPU 0 has none: another's end */
	b	secondary_main
