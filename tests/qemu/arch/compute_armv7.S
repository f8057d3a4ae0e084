/* SPDX-License-Identifier: Apache-2.0 */
/* A guest that executes 2 * LOOPS instructions without an exit, then powers off. */
	.arch_extension virt
	.globl	_start
_start:	ldr	r0, =LOOPS
1:	subs	r0, r0, #1
	bne	1b
	ldr	r0, =0x84000008		/* PSCI SYSTEM_OFF */
	hvc	#0
