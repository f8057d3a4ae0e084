/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe's first instructions: x0 = device tree, MMU off, at any multiple of 4 KiB. The header
 * is that of an arm64 Image (Linux: Documentation/arch/arm64/booting.rst). Its flags mean little
 * endian, 4 KiB pages, any address in RAM.
 */
#define R_AARCH64_RELATIVE 1027		/* "ELF for the Arm 64-bit Architecture", 5.7.15 */

#include "guest/probe/arguments.h"

	.section .text.start, "ax"
	.global	probe_start
probe_start:
	b	begin
	.long	0
	.quad	0			/* text_offset */
	.quad	__memory_end - probe_start
	.quad	0xa
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.long	0
#include "guest/probe/arch/common/arguments.inc"

begin:
	msr	daifset, #0xf
	mov	x19, x0
	adrp	x1, probe_vectors
	add	x1, x1, :lo12:probe_vectors
	msr	vbar_el1, x1
	msr	tpidr_el1, xzr		/* no attempt() is active */
	adrp	x1, __stack_end
	add	x1, x1, :lo12:__stack_end
	msr	spsel, #1
	mov	sp, x1
	isb

	/* The image is linked at 0, so each relocation adds its own address. */
	adrp	x1, probe_start
	adrp	x2, __relocations_start
	add	x2, x2, :lo12:__relocations_start
	adrp	x3, __relocations_end
	add	x3, x3, :lo12:__relocations_end
1:	cmp	x2, x3
	b.hs	2f
	ldp	x4, x5, [x2], #16	/* address to relocate; symbol and type */
	ldr	x6, [x2], #8		/* addend */
	cmp	x5, #R_AARCH64_RELATIVE
	b.ne	1b
	add	x6, x6, x1
	str	x6, [x1, x4]
	b	1b

2:	adrp	x1, __bss_start
	add	x1, x1, :lo12:__bss_start
	adrp	x2, __bss_end
	add	x2, x2, :lo12:__bss_end
3:	cmp	x1, x2
	b.hs	4f
	stp	xzr, xzr, [x1], #16
	b	3b
4:	mov	x0, x19
	b	probe_main
