/* SPDX-License-Identifier: Apache-2.0 */
/* A guest that arms CNTV 2^55 ticks ahead and sleeps until its time, then powers off (GICv2). */
#define GICD 0x08000000
#define GICC 0x08010000

	.globl	_start
_start:	ldr	x2, =GICD
	mov	w3, #1
	str	w3, [x2]		/* GICD_CTLR */
	ldr	w3, =1 << 27
	str	w3, [x2, #0x100]	/* GICD_ISENABLER0: CNTV */
	ldr	x2, =GICC
	mov	w3, #0xf0
	str	w3, [x2, #4]		/* GICC_PMR */
	mov	w3, #1
	str	w3, [x2]		/* GICC_CTLR */
	mrs	x0, cntvct_el0
	mov	x1, #1 << 55
	add	x0, x0, x1
	msr	cntv_cval_el0, x0
	mov	x0, #1
	msr	cntv_ctl_el0, x0
	isb
1:	wfi
	mrs	x0, cntv_ctl_el0
	tbz	x0, #2, 1b		/* ISTATUS: not yet */
	ldr	w0, =0x84000008		/* PSCI SYSTEM_OFF */
	hvc	#0
