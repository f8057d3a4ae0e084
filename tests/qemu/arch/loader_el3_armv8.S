/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A boot loader that enters the hypervisor at EL3 and cleans nothing up: its own MMU and caches are
 * on, exceptions unmasked and routed to EL3, everything below EL3 trapped, EL2's registers unlike
 * after any reset, every interrupt Secure, and a Secure interrupt acknowledged and not ended.
 * BEGIN: the hypervisor's first instruction; GIC_VERSION: 2 or 3.
 */
#include "tests/qemu/arch/loader_map_armv8.inc"

	.macro	store address, value
	ldr	x0, =\address
	ldr	w1, =\value
	str	w1, [x0]
	.endm

	/* Make SGI 3 pending in Group 0, and acknowledge it. */
	.macro	acknowledge
#if GIC_VERSION == 2
	store	0x08000000, 1			/* GICD_CTLR */
	store	0x08010004, 0xff		/* GICC_PMR */
	store	0x08010000, 1			/* GICC_CTLR */
	store	0x08000f00, (1 << 16 | 3)	/* GICD_SGIR: to core 0 */
	dsb	sy
	ldr	x0, =0x0801000c			/* GICC_IAR */
	ldr	w1, [x0]
#else
	mov	x0, #9				/* SRE, Enable */
	msr	s3_6_c12_c12_5, x0		/* ICC_SRE_EL3 */
	isb
	store	0x08000000, (1 << 4 | 1)	/* GICD_CTLR: ARE_S, Group 0 */
	store	0x080a0014, 0			/* GICR_WAKER */
	store	0x080b0100, (1 << 3)		/* GICR_ISENABLER0 */
	mov	x0, #0xff
	msr	s3_0_c4_c6_0, x0		/* ICC_PMR_EL1 */
	mov	x0, #1
	msr	s3_0_c12_c12_6, x0		/* ICC_IGRPEN0_EL1 */
	isb
	ldr	x0, =(3 << 24 | 1)
	msr	s3_0_c12_c11_7, x0		/* ICC_SGI0R_EL1 */
	dsb	sy
	isb
	mrs	x1, s3_0_c12_c8_0		/* ICC_IAR0_EL1 */
#endif
	cmp	w1, #3
	b.ne	.				/* no interrupt was pending */
	.endm

	.text
	.global	_start
_start:
	acknowledge
	translation_on 3

	ldr	x0, =0xdead0000
	msr	vbar_el3, x0
	msr	vbar_el2, x0
	msr	elr_el3, x0
	mov	x0, #0x1f			/* AArch32 System mode */
	msr	spsr_el3, x0
	ldr	x0, =0x3ffe			/* Secure; everything to EL3; no HVC */
	and	x0, x0, #~(1 << 8)
	msr	scr_el3, x0
	ldr	x0, =(1 << 31 | 1 << 20 | 1 << 10)	/* TCPAC, TTA, TFP */
	msr	cptr_el3, x0
	ldr	x0, =(1 << 10 | 1 << 9 | 1 << 6)	/* TDOSA, TDA, TPM */
	msr	mdcr_el3, x0
	ldr	x0, =(1 << 34 | 1 << 27 | 1 << 13 | 1 << 12 | 1 << 8 | 7 << 3 | 1)
	msr	hcr_el2, x0			/* E2H, TGE, TWI, DC, VSE, the masks, VM */
	ldr	x0, =0x30c51835
	msr	sctlr_el2, x0
	mov	x0, #12345
	msr	cntvoff_el2, x0
	mov	x29, #0x29
	ldr	x0, =BEGIN
	msr	spsel, #0
	msr	daifclr, #0xf
	br	x0
	.ltorg
	.balign	4096
table:
	.space	4096
