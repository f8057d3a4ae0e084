/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe's first instructions: r2 = device tree, Supervisor mode, MMU off, at any multiple of 4
 * bytes. The header is a zImage's (Linux: arch/arm/boot/compressed/head.S): start 0 means that the
 * image runs at any address.
 */
	.arch	armv7ve
	.arm

#define R_ARM_RELATIVE 23		/* "ELF for the Arm Architecture", 5.6.1 */
#define MODE_SVC 0x13
#define MODE_HYP 0x1a
#define MODE_MASK 0x1f

#include "guest/probe/arch/armv7/address.inc"

#include "guest/probe/arguments.h"

	.section .text.start, "ax"
	.global	probe_start
probe_start:
	.rept	8
	nop
	.endr
	b	begin
	.long	0x016f2818
	.long	0
	.long	__image_end - probe_start
#include "guest/probe/arch/common/arguments.inc"

begin:
	mrs	r0, cpsr
	and	r0, r0, #MODE_MASK
	cmp	r0, #MODE_HYP
	beq	1f			/* C reports the error */
	cpsid	aif, #MODE_SVC
1:	mov	r11, r2
	address	r1, probe_vectors
	mcr	p15, 0, r1, c12, c0, 0	/* VBAR */
	mov	r0, #0
	mcr	p15, 0, r0, c13, c0, 4	/* TPIDRPRW: no attempt() is active */
	address	sp, __stack_end
	isb

	/* The image is linked at 0, so each relocation adds its own address. */
	address	r1, probe_start
	address	r2, __relocations_start
	address	r3, __relocations_end
2:	cmp	r2, r3
	bhs	3f
	ldr	r4, [r2], #4		/* address to relocate */
	ldr	r5, [r2], #4		/* symbol and type */
	cmp	r5, #R_ARM_RELATIVE
	bne	2b
	ldr	r6, [r1, r4]
	add	r6, r6, r1
	str	r6, [r1, r4]
	b	2b

3:	address	r1, __bss_start
	address	r2, __bss_end
	mov	r3, #0
4:	cmp	r1, r2
	bhs	5f
	str	r3, [r1], #4
	b	4b
5:	mov	r0, r11
	b	probe_main
