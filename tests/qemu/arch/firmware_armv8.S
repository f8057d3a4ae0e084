/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State that a Raspberry Pi 4's firmware and boot loader may leave to the hypervisor: the pins of
 * the console (GPFSEL1). With LOUD each other core has an interrupt pending for good and waits
 * again for its word of the spin table. With NO_FREQUENCY the counter's frequency is 0. BEGIN:
 * address of the hypervisor's code, after its header.
 */
#define GPFSEL1_ADDRESS 0xfe200004
#define GICD 0xff841000
#define GICC 0xff842000
#define HYP_TIMER 26
#define WORDS 0xd8

	.text
	.global	_start
_start:
	ldr	x1, =GPFSEL1_ADDRESS
	ldr	w2, =GPFSEL1
	str	w2, [x1]
#ifdef NO_FREQUENCY
	msr	cntfrq_el0, xzr			/* this needs EL3 */
#endif
#ifdef LOUD
	mov	x1, #WORDS
	adr	x2, loud
	str	x2, [x1, #8]
	str	x2, [x1, #16]
	str	x2, [x1, #24]
	dsb	sy
	sev
1:	yield
	ldp	x2, x3, [x1, #8]
	ldr	x4, [x1, #24]
	orr	x2, x2, x3
	orr	x2, x2, x4
	cbnz	x2, 1b				/* until each core has cleared its word */
#endif
	ldr	x1, =BEGIN
	br	x1

loud:
	ldr	x1, =GICD
	mov	w2, #(1 << HYP_TIMER)
	str	w2, [x1, #0x100]		/* ISENABLER0, this core's */
	ldr	x1, =GICC
	mov	w2, #0xff
	str	w2, [x1, #4]			/* PMR */
	mov	w2, #3
	str	w2, [x1]			/* CTLR */
	msr	cnthp_cval_el2, xzr
	mov	x2, #1
	msr	cnthp_ctl_el2, x2
	isb
	mrs	x1, mpidr_el1
	and	x1, x1, #3
	mov	x2, #WORDS
	add	x1, x2, x1, lsl #3
	str	xzr, [x1]
1:	wfe
	ldr	x2, [x1]
	cbz	x2, 1b
	br	x2
	.ltorg
