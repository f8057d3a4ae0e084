/* SPDX-License-Identifier: Apache-2.0 */
/* The data in the image: the guest image and the plan, a struct plan_section (abi/plan.h). The
 * Makefile defines the paths GUEST_BIN and PLAN_FILE. */
	.section .rodata.guest, "a"
	.balign	16
	.global	__guest_image_start, __guest_image_end
__guest_image_start:
	.incbin	GUEST_BIN
__guest_image_end:

	.section .plan, "a"
	.balign	16
	.global	plan_section
plan_section:
	.incbin	PLAN_FILE
