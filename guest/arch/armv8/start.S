/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guest's first instructions: at EL1h with MMU and caches off, interrupts masked, x0 = struct
 * guest_run. Makes a C environment and goes on in guest_main().
 */
	.section .text.start, "ax"
	.global	guest_entry
guest_entry:
	msr	daifset, #0xf
	adrp	x1, guest_vectors
	msr	vbar_el1, x1
	adrp	x1, __stack_end
	mov	sp, x1

	/* No FP or SIMD trap at EL1 and EL0 (CPACR_EL1.FPEN): the C library may use them. */
	mov	x1, #3 << 20
	msr	cpacr_el1, x1
	/* The counters for EL0 (CNTKCTL_EL1.EL0PCTEN, EL0VCTEN). */
	mov	x1, #3
	msr	cntkctl_el1, x1
	/* Where the C library keeps errno: 16 bytes come before the first variable. */
	adrp	x1, __tls_base
	add	x1, x1, :lo12:__tls_base
	sub	x1, x1, #16
	msr	tpidr_el0, x1
	isb

	adrp	x1, __bss_start
	add	x1, x1, :lo12:__bss_start
	adrp	x2, __bss_end
	add	x2, x2, :lo12:__bss_end
1:	cmp	x1, x2
	b.hs	2f
	stp	xzr, xzr, [x1], #16
	b	1b
2:	b	guest_main
