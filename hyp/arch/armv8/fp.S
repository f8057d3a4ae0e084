/* SPDX-License-Identifier: Apache-2.0 */
/* The FP and SIMD registers to memory and back. The rest of the hypervisor never uses them. */
#include "arch/fp_context.h"

	.altmacro
	.macro	pair op, base, n, next
	\op	q\n, q\next, [\base, #16 * \n]
	.endm

	.macro	all_pairs op, base
	.irp	n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
	pair	\op, \base, \n, %(\n + 1)
	.endr
	.endm

	.text
	/* void cpu_fp_save(struct fp_context *); CPTR_EL2.TFP must be clear */
	.global	cpu_fp_save
cpu_fp_save:
	all_pairs stp, x0
	add	x0, x0, #FP_CONTEXT_STATUS
	mrs	x1, fpcr
	mrs	x2, fpsr
	stp	x1, x2, [x0]
	ret

	/* void cpu_fp_load(const struct fp_context *); likewise */
	.global	cpu_fp_load
cpu_fp_load:
	all_pairs ldp, x0
	add	x0, x0, #FP_CONTEXT_STATUS
	ldp	x1, x2, [x0]
	msr	fpcr, x1
	msr	fpsr, x2
	ret
