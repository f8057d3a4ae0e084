/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guest's first instructions: Supervisor mode, MMU and caches off, interrupts masked, r0 =
 * struct guest_run. The code sets the stacks and continues in guest_start().
 */
	.arch	armv7ve
	.arm

#define MODE_IRQ 0x12
#define MODE_SVC 0x13

	.section .text.start, "ax"
	.global	guest_entry
guest_entry:
	cpsid	aif, #MODE_IRQ
	movw	sp, #:lower16:__irq_stack_end
	movt	sp, #:upper16:__irq_stack_end
	cps	#MODE_SVC
	movw	sp, #:lower16:__stack_end
	movt	sp, #:upper16:__stack_end
	b	guest_start
