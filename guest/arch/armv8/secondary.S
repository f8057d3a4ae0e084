/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/secondary.h"

/*
 * The first instructions of a vCPU that secondary_start() starts, in the state that vCPU 0 has at
 * guest_entry. The code must not store before the MMU is on, because the stores would bypass the
 * caches. It continues in secondary_main(index).
 */
	.text
	.global	guest_secondary_entry
guest_secondary_entry:
	adrp	x1, secondary_control
	add	x1, x1, #:lo12:secondary_control
	ldp	x2, x3, [x1]
	ldp	x4, x5, [x1, #16]
	ldr	x6, [x1, #32]
	msr	tcr_el1, x2
	msr	mair_el1, x3
	msr	ttbr0_el1, x4
	msr	vbar_el1, x5
	isb
	tlbi	vmalle1
	dsb	nsh
	msr	sctlr_el1, x6
	isb
	mrs	x0, mpidr_el1
	and	x0, x0, #0xff
	adrp	x1, secondary_stacks
	add	x1, x1, #:lo12:secondary_stacks
	add	x1, x1, x0, lsl #SECONDARY_STACK_SHIFT	/* vCPU 0 has none: the end of another's */
	mov	sp, x1
	b	secondary_main
