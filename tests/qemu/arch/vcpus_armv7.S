/* SPDX-License-Identifier: Apache-2.0 */
/* As vcpus_armv8.S, with the arguments in r0 to r3. */
#ifndef STACKS
#define STACKS 0x1e00000 /* from _start; each vCPU's stack grows down from a page of its own */
#endif
#ifndef CONDUIT
#define CONDUIT hvc
#endif

	.syntax	unified
	.arch	armv7ve
	.arch_extension virt
	.arch_extension sec
	.arm
	.text
	.global	_start
_start:
	adr	r4, _start
	add	sp, r4, #STACKS
	bl	first_main
	b	.

	.weak	second_main			/* a guest with one vCPU has none */
	.global	second_start
second_start:
	mrc	p15, 0, r5, c0, c0, 5		/* MPIDR */
	and	r5, r5, #0xf
	adr	r4, _start
	add	r4, r4, #STACKS
	add	sp, r4, r5, lsl #12
	bl	second_main
	b	.

	.global	psci
psci:
	CONDUIT	#0
	bx	lr

	/* Enter second_start in Thumb state. */
	.balign	4
	.thumb
	.global	second_start_again
	.thumb_func
second_start_again:
	bx	pc
	nop
	.arm
	b	second_start
