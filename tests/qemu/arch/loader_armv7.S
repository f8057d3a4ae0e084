/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A boot loader that tidies nothing up: it enters the hypervisor in HYP mode with its own MMU and
 * caches on, aborts unmasked, a hypervisor timer that has expired, HCR, HCPTR and HSTR preset, the
 * PPIs edge-triggered, and a vector base that leads nowhere. HYP_BASE: where the hypervisor's image
 * begins; GIC_PRIVATE: the distributor.
 */
	.arch	armv7ve
	.arch_extension virt
	.arm
	.text
	.global	_start
_start:
	/* identity map of 4 GiB in 1 GiB blocks: devices below 0x40000000, normal memory above */
	ldr	r0, =table
	ldr	r2, =0x401			/* block, AF, MAIR index 0 */
	mov	r3, #0
	strd	r2, r3, [r0], #8
	ldr	r2, =0x40000705			/* block, AF, inner shareable, MAIR index 1 */
	mov	r1, #3
1:	strd	r2, r3, [r0], #8
	add	r2, r2, #0x40000000
	subs	r1, r1, #1
	bne	1b
	ldr	r0, =table
	mcrr	p15, 4, r0, r3, c2		/* HTTBR */
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

	ldr	r0, =GIC_PRIVATE
	mvn	r1, #0
	str	r1, [r0, #0xc04]		/* GICD_ICFGR1 */
	ldr	r0, =0xdead0000
	mcr	p15, 4, r0, c12, c0, 0		/* HVBAR */
	ldr	r0, =(1 << 4 | 1 << 5 | 1 << 13 | 1 << 19)
	mcr	p15, 4, r0, c1, c1, 0		/* HCR: IMO, AMO, TWI, TSC */
	ldr	r0, =0xbfff
	mcr	p15, 4, r0, c1, c1, 2		/* HCPTR: all coprocessors */
	mov	r0, #0
	mvn	r1, #0
	mcr	p15, 4, r1, c1, c1, 3		/* HSTR */
	mcrr	p15, 6, r1, r1, c2		/* VTTBR */
	ldr	r1, =12345
	mcrr	p15, 4, r1, r0, c14		/* CNTVOFF */
	mcrr	p15, 6, r0, r0, c14		/* CNTHP_CVAL */
	mov	r0, #1
	mcr	p15, 4, r0, c14, c2, 1		/* CNTHP_CTL */
	isb
	ldr	r0, =HYP_BASE
	cpsie	a
	bx	r0
	.ltorg
	.balign	4096
table:
	.space	4096
