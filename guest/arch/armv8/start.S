/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guest's first instructions: EL1h, MMU and caches off, interrupts masked, x0 = struct
 * guest_run. The code sets the stack and continues in guest_start().
 */
	.section .text.start, "ax"
	.global	guest_entry
guest_entry:
	msr	daifset, #0xf
	adrp	x1, __stack_end
	mov	sp, x1
	b	guest_start
