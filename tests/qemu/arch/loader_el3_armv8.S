/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A boot loader that enters the hypervisor at EL3 and tidies nothing up: its own MMU and caches
 * are on, exceptions unmasked and routed to EL3, everything below trapped, EL2's registers as no
 * reset would have them, and every interrupt Secure. BEGIN: the hypervisor's first instruction.
 */
#include "tests/qemu/arch/loader_map_armv8.inc"

	.text
	.global	_start
_start:
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
