/* SPDX-License-Identifier: Apache-2.0 */
/* The FP and SIMD registers to memory and back. Nothing else of the hypervisor touches them. */
#include "arch/fp_context.h"

	.macro	all_pairs op, base
	\op	q0, q1, [\base]
	\op	q2, q3, [\base, #32]
	\op	q4, q5, [\base, #64]
	\op	q6, q7, [\base, #96]
	\op	q8, q9, [\base, #128]
	\op	q10, q11, [\base, #160]
	\op	q12, q13, [\base, #192]
	\op	q14, q15, [\base, #224]
	\op	q16, q17, [\base, #256]
	\op	q18, q19, [\base, #288]
	\op	q20, q21, [\base, #320]
	\op	q22, q23, [\base, #352]
	\op	q24, q25, [\base, #384]
	\op	q26, q27, [\base, #416]
	\op	q28, q29, [\base, #448]
	\op	q30, q31, [\base, #480]
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
