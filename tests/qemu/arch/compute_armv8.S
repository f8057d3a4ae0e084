/* SPDX-License-Identifier: Apache-2.0 */
/* A guest that executes 2 * LOOPS instructions without an exit, then powers off. */
	.globl	_start
_start:	ldr	x0, =LOOPS
1:	subs	x0, x0, #1
	b.ne	1b
	ldr	w0, =0x84000008		/* PSCI SYSTEM_OFF */
	hvc	#0
