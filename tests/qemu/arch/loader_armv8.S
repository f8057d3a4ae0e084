/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A boot loader that tidies nothing up: it enters the hypervisor at EL2 with its own MMU and
 * caches on, exceptions unmasked, a hypervisor timer that has expired, HCR and CPTR preset, the
 * PPIs edge-triggered, and a vector base that leads nowhere. HYP_BASE: where the hypervisor's image
 * begins; GIC_PRIVATE: the distributor, or the redistributor's SGI_base.
 */
#include "tests/qemu/arch/loader_map_armv8.inc"

	.text
	.global	_start
_start:
	translation_on 2

	ldr	x0, =GIC_PRIVATE
	mov	w1, #-1
	str	w1, [x0, #0xc04]		/* GICD_ICFGR1, GICR_ICFGR1 */
	ldr	x0, =0xdead0000
	msr	vbar_el2, x0
	ldr	x0, =(1 << 4 | 1 << 5 | 1 << 8 | 1 << 13 | 1 << 19)
	msr	hcr_el2, x0			/* IMO, AMO, VSE, TWI, TSC; no RW */
	ldr	x0, =0x37ff			/* FP traps */
	msr	cptr_el2, x0
	mov	x0, #-1
	msr	hstr_el2, x0
	msr	vttbr_el2, x0
	mov	x0, #12345
	msr	cntvoff_el2, x0
	mov	x0, #0
	msr	cnthp_cval_el2, x0
	mov	x0, #1
	msr	cnthp_ctl_el2, x0
	isb
	ldr	x0, =HYP_BASE
	mov	x29, #0x29
	msr	spsel, #0
	msr	daifclr, #4			/* SError */
	br	x0
	.ltorg
	.balign	4096
table:
	.space	4096
