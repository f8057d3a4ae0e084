/* SPDX-License-Identifier: Apache-2.0 */
/* Set up a stack and enter C (vcpus.h), at any load address. A vCPU starts with the arguments of
 * first_main() in x0 to x3, or with that of second_main() in x0. Optional defines: CONDUIT, hvc or
 * smc; STACKS. */
#ifndef STACKS
#define STACKS 0x1e00000 /* from _start; each vCPU's stack grows down from a page of its own */
#endif
#ifndef CONDUIT
#define CONDUIT hvc
#endif

	.text
	.global	_start
_start:
	adr	x4, _start
	mov	x5, #STACKS
	add	sp, x4, x5
	bl	first_main
	b	.

	.weak	second_main			/* a guest with one vCPU has none */
	.global	second_start, second_start_again
second_start:
second_start_again:
	mrs	x5, mpidr_el1
	and	x5, x5, #0xf
	adr	x4, _start
	add	x4, x4, x5, lsl #12
	mov	x5, #STACKS
	add	sp, x4, x5
	bl	second_main
	b	.

	.global	psci
psci:
	CONDUIT	#0
	ret
