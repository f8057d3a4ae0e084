/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks, and C; for arch/spis.c, arch/storm.c and arch/groups.c. */
#define STACKS 0x42000000 /* each vCPU's grows down from a page of its own */

	.arch	armv7ve
	.arch_extension virt
	.arm
	.text
	.global	_start
_start:
	ldr	sp, =STACKS
	bl	first_main
	b	.

	/* r0: the vCPU's number */
	.global	second_start
second_start:
	ldr	r1, =STACKS
	add	sp, r1, r0, lsl #12
	bl	second_main
	b	.

	.global	psci
psci:
	hvc	#0
	bx	lr
	.ltorg
