/* SPDX-License-Identifier: Apache-2.0 */
/* What the image carries as data: the guest image and the plan. GUEST_BIN and PLAN_FILE are paths
 * from the Makefile; the plan is a struct plan_section (abi/plan.h). */
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
