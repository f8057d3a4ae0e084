/* SPDX-License-Identifier: Apache-2.0 */
/* The same for ARMv7: enters the hypervisor in HYP mode with the MMU and caches on, aborts
 * unmasked, an expired hypervisor timer, and presets in HCR, HCPTR, HSTR and HVBAR. */
	.arch	armv7ve
	.arch_extension virt
	.arm
	.text
	.global	_start
_start:
	/* identity map of 4 GiB in 1 GiB blocks: devices below 0x40000000, normal memory above */
	ldr	r0, =table
	ldr	r1, =0x401			/* block, AF, MAIR index 0 */
	mov	r2, #0
	strd	r1, r2, [r0], #8
	ldr	r3, =0x40000705			/* block, AF, inner shareable, MAIR index 1 */
	str	r3, [r0]
	str	r2, [r0, #4]
	add	r3, r3, #0x40000000
	str	r3, [r0, #8]
	str	r2, [r0, #12]
	add	r3, r3, #0x40000000
	str	r3, [r0, #16]
	str	r2, [r0, #20]
	ldr	r0, =table
	mcrr	p15, 4, r0, r2, c2		/* HTTBR */
	ldr	r0, =0xff04
	mcr	p15, 4, r0, c10, c2, 0		/* HMAIR0 */
	ldr	r0, =0x80803500
	mcr	p15, 4, r0, c2, c0, 2		/* HTCR */
	dsb
	mcr	p15, 4, r0, c8, c7, 0		/* TLBIALLH */
	dsb
	isb
	ldr	r0, =0x30c51835			/* M, C, I */
	mcr	p15, 4, r0, c1, c0, 0		/* HSCTLR */
	isb

	ldr	r0, =0xdead0000
	mcr	p15, 4, r0, c12, c0, 0		/* HVBAR */
	ldr	r0, =(1 << 4 | 1 << 5 | 1 << 13 | 1 << 19)
	mcr	p15, 4, r0, c1, c1, 0		/* HCR: IMO, AMO, TWI, TSC */
	ldr	r0, =0xbfff
	mcr	p15, 4, r0, c1, c1, 2		/* HCPTR: all coprocessors */
	mov	r0, #0
	mvn	r1, #0
	mcrr	p15, 6, r1, r1, c2		/* VTTBR */
	ldr	r1, =12345
	mcrr	p15, 4, r1, r0, c14		/* CNTVOFF */
	mcrr	p15, 6, r0, r0, c14		/* CNTHP_CVAL */
	mov	r0, #1
	mcr	p15, 4, r0, c14, c2, 1		/* CNTHP_CTL */
	isb
	ldr	r0, =HYP_BASE
	bx	r0
	.ltorg
	.balign	4096
table:
	.space	4096
