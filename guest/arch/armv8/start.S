/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guest's first instructions: at EL1h with MMU and caches off, interrupts masked, x0 = struct
 * guest_run. Sets the stack and goes on in guest_start().
 */
	.section .text.start, "ax"
	.global	guest_entry
guest_entry:
	msr	daifset, #0xf
	adrp	x1, __stack_end
	mov	sp, x1
	b	guest_start
