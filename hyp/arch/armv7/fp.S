/* SPDX-License-Identifier: Apache-2.0 */
/* Save and load of the VFP and Advanced SIMD registers, which the rest of the hypervisor never
 * uses. FPEXC is always accessible. The other registers are accessible only while FPEXC.EN is set,
 * also in HYP mode (DDI 0406C B1.11.3). FPINST and FPINST2 belong to VFP subarchitectures that no
 * core with the Virtualization Extensions has. */
#include "arch/fp_context.h"

	.arch	armv7ve
	.fpu	neon-vfpv4
	.arm

	.section .text.cpu_fp, "ax"
	/* void cpu_fp_switch(struct fp_context *from, const struct fp_context *to); HCPTR must not
	   trap. */
	.global	cpu_fp_switch
cpu_fp_switch:
	vmrs	r2, fpexc
	orr	r3, r2, #FPEXC_EN
	vmsr	fpexc, r3
	isb
	vstmia	r0!, {d0-d15}
	vstmia	r0!, {d16-d31}
	vmrs	r3, fpscr
	str	r3, [r0]
	str	r2, [r0, #4]
	b	load

	/* void cpu_fp_load(const struct fp_context *); HCPTR must not trap */
	.global	cpu_fp_load
cpu_fp_load:
	mov	r1, r0
	mov	r3, #FPEXC_EN
	vmsr	fpexc, r3
	isb
load:
	vldmia	r1!, {d0-d15}
	vldmia	r1!, {d16-d31}
	ldr	r2, [r1]
	ldr	r3, [r1, #4]
	vmsr	fpscr, r2
	vmsr	fpexc, r3
	bx	lr
