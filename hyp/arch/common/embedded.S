/* SPDX-License-Identifier: Apache-2.0 */
/* What the image carries as data: the guest image and the plan. GUEST_BIN and PLAN_FILE are paths
 * from the Makefile; the layout of the plan is struct plan_section (abi/plan.h). */
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
	.asciz	"HYPBENCH-PLAN-1"
	.incbin	PLAN_FILE
	.byte	0
	.org	plan_section + 16 + 8176, 0	/* an error here: the plan is too long */
