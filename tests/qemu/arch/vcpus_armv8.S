/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks, and C; for arch/spis.c, arch/storm.c and arch/groups.c. */
#define STACKS 0x42000000 /* each vCPU's grows down from a page of its own */

	.text
	.global	_start
_start:
	ldr	x1, =STACKS
	mov	sp, x1
	bl	first_main
	b	.

	/* x0: the vCPU's number */
	.global	second_start
second_start:
	ldr	x1, =STACKS
	add	x1, x1, x0, lsl #12
	mov	sp, x1
	bl	second_main
	b	.

	.global	psci
psci:
	hvc	#0
	ret
	.ltorg
