/* SPDX-License-Identifier: Apache-2.0 */
/* Save and load of the FP and SIMD registers, which the rest of the hypervisor never uses. */
#include "arch/fp_context.h"

	.altmacro
	.macro	pair op, base, n, next
	\op	q\n, q\next, [\base, #FP_CONTEXT_REGISTERS + 16 * \n]
	.endm

	.macro	all_pairs op, base
	.irp	n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
	pair	\op, \base, \n, %(\n + 1)
	.endr
	.endm

	.section .text.cpu_fp, "ax"
	/* void cpu_fp_switch(struct fp_context *from, const struct fp_context *to); CPTR_EL2.TFP
	 * must be clear. Both pointers may be equal. A write of FPCR may wait for the FP units, so
	 * an equal value is not written. */
	.global	cpu_fp_switch
cpu_fp_switch:
	mrs	x2, fpcr
	mrs	x3, fpsr
	stp	x2, x3, [x0]
	ldp	x4, x5, [x1]
	all_pairs stp, x0
	all_pairs ldp, x1
	msr	fpsr, x5
	cmp	x2, x4
	b.eq	1f
	msr	fpcr, x4
1:	ret

	/* void cpu_fp_load(const struct fp_context *); CPTR_EL2.TFP must be clear */
	.global	cpu_fp_load
cpu_fp_load:
	ldp	x4, x5, [x0]
	all_pairs ldp, x0
	msr	fpcr, x4
	msr	fpsr, x5
	ret
