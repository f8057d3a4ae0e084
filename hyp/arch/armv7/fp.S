/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VFP and Advanced SIMD registers to memory and back. The rest of the hypervisor never uses
 * them. FPEXC is always accessible; the others, in HYP mode too, only while FPEXC.EN is set
 * (DDI 0406C B1.11.3). FPINST and FPINST2 belong to VFP subarchitectures that no core with the
 * Virtualization Extensions has.
 */
#include "arch/fp_context.h"

	.arch	armv7ve
	.fpu	neon-vfpv4
	.arm

	.text
	/* void cpu_fp_save(struct fp_context *); HCPTR must not trap. Leaves FPEXC.EN set:
	   the load that follows writes FPEXC. */
	.global	cpu_fp_save
cpu_fp_save:
	vmrs	r2, fpexc
	orr	r3, r2, #FPEXC_EN
	vmsr	fpexc, r3
	isb
	vstmia	r0!, {d0-d15}
	vstmia	r0!, {d16-d31}
	vmrs	r1, fpscr
	str	r1, [r0]
	str	r2, [r0, #4]
	bx	lr

	/* void cpu_fp_load(const struct fp_context *); likewise */
	.global	cpu_fp_load
cpu_fp_load:
	mov	r3, #FPEXC_EN
	vmsr	fpexc, r3
	isb
	vldmia	r0!, {d0-d15}
	vldmia	r0!, {d16-d31}
	ldr	r1, [r0]
	ldr	r2, [r0, #4]
	vmsr	fpscr, r1
	vmsr	fpexc, r2
	bx	lr
