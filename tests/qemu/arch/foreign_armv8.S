/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that is not our own: it knows QEMU's virt and PSCI, and nothing else. Defines: DOES, one
 * of the words below; UART; GIC, 2 or 3; CONDUIT, hvc or smc; DTB, what it is to find in x0.
 */
#define GICD 0x08000000
#define GICC 0x08010000
#define UART_INTID 33
#define FLASH_BANK 0x04000000
#define FLASH_END 0x08000000
#define NOWHERE 0x0a000000
#define KEPT 0x41000000 /* not loaded: what is there lives through a reset */
#define STARTS 3

#define HELLO 0	  /* prints, leaves a line open */
#define ECHO 1	  /* prints what is typed, by interrupts, until a 'q' */
#define RESET 2	  /* SYSTEM_RESET until the third start */
#define MACHINE 3 /* looks at what it has; says what is wrong */
#define READONLY 5 /* stores to a load that is no flash; then to nowhere, and has no vectors */
#define FOREVER 6
#define FLASH 7 /* loads all over the flash, commands, SYSTEM_RESET; then looks again */

#define SYSTEM_OFF 0x84000008
#define SYSTEM_RESET 0x84000009

	.macro	say text
	adr	x10, 8f
	bl	print
	b	9f
8:	.asciz	"\text"
	.balign	4
9:
	.endm

	.macro	psci id
	ldr	w0, =\id
	CONDUIT	#0
	b	.
	.endm

	/* the 32-bit word at an address is this */
	.macro	expect address, value, letter
	ldr	x11, =\address
	ldr	w11, [x11]
	ldr	w12, =\value
	cmp	w11, w12
	b.eq	9f
	say	"wrong \letter\n"
9:
	.endm

	/* nothing comes of it */
	.macro	command value, bank=FLASH_BANK, store=str
	ldr	x11, =\bank
	mov	w12, #\value
	\store	w12, [x11, #0x154]
	.endm

	.globl	_start
_start:
	mov	x20, x0
	orr	x21, x1, x2
	orr	x21, x21, x3
	ldr	x19, =UART
#if DOES == HELLO
	say	"hello\r\nopen"
	psci	SYSTEM_OFF

#elif DOES == ECHO
	ldr	x1, =GICD
#if GIC == 2
	ldr	x2, =GICC
	mov	w3, #0xff
	str	w3, [x2, #4]		/* PMR */
	mov	w3, #1
	str	w3, [x2]
	str	w3, [x1]
#else
	mov	w3, #0x12		/* ARE, group 1 */
	str	w3, [x1]
	mov	w3, #-1
	str	w3, [x1, #0x84]		/* IGROUPR1 */
	mov	x3, #0xff
	msr	s3_0_c4_c6_0, x3	/* ICC_PMR_EL1 */
	mov	x3, #1
	msr	s3_0_c12_c12_7, x3	/* ICC_IGRPEN1_EL1 */
	isb
#endif
	mov	w3, #2
	str	w3, [x1, #0x104]	/* ISENABLER1: 33 */
	mov	w3, #0x70
	str	w3, [x19, #0x2c]	/* LCR_H: 8 bits, FIFOs */
	mov	w3, #0x50
	str	w3, [x19, #0x38]	/* IMSC: RX, RT */
	say	"type\n"
1:	wfi
#if GIC == 2
	ldr	w20, [x2, #0x0c]	/* IAR */
#else
	mrs	x20, s3_0_c12_c12_0	/* ICC_IAR1_EL1 */
#endif
	cmp	w20, #1020
	b.hs	1b
	cmp	w20, #UART_INTID
	b.ne	wrong
2:	ldr	w4, [x19]		/* DR */
	cmp	w4, #'q'
	b.eq	3f
	str	w4, [x19]
	ldr	w5, [x19, #0x18]	/* FR: receive FIFO empty */
	tbz	w5, #4, 2b
#if GIC == 2
	str	w20, [x2, #0x10]	/* EOIR */
#else
	msr	s3_0_c12_c12_1, x20
#endif
	b	1b
3:	say	"\nquit\n"
	psci	SYSTEM_OFF

#elif DOES == RESET
	adr	x1, loaded
	ldr	w2, [x1]
	cbnz	w2, wrong		/* the last start's */
	mov	w2, #1
	str	w2, [x1]
	ldr	x1, =KEPT
	ldr	w2, [x1]
	add	w2, w2, #1
	str	w2, [x1]
	say	"start\n"
	ldr	x1, =KEPT
	ldr	w2, [x1]
	cmp	w2, #STARTS
	b.eq	1f
	psci	SYSTEM_RESET
1:	str	wzr, [x1]
	psci	SYSTEM_OFF
loaded:	.word	0

#elif DOES == MACHINE
	ldr	x1, =DTB
	cmp	x20, x1
	b.ne	wrong
	cbnz	x21, wrong
	mrs	x1, CurrentEL
	cmp	x1, #1 << 2
	b.ne	wrong
	/* an implementation-defined register: undefined, as EL1 and as EL0 see it */
	adr	x1, vectors
	msr	vbar_el1, x1
	mov	x22, #0
	mrs	x1, s3_1_c15_c2_7
	cmp	x22, #0x200
	b.ne	wrong
	mov	x22, #0
	adr	x1, user
	msr	elr_el1, x1
	msr	spsr_el1, xzr
	eret
user:	mrs	x1, s3_1_c15_c2_7
	/* back, by the exception itself: at EL1 */
	cmp	x22, #0x400
	b.ne	wrong
	expect	0x09000fe0, 0x11, U
	expect	0x09000ff0, 0x0d, C
	expect	FLASH_BANK, 0x464c4153, F /* loaded */
	expect	0x4, 0xffffffff, E	  /* erased */
	command	0x98
	expect	FLASH_BANK, 0x464c4153, F
	dc	ivac, x19		/* of a device: nothing */
	say	"as it should be\n"
	psci	SYSTEM_OFF

	.balign	0x800
vectors:			/* x22: which one of them */
	.set	offset, 0
	.rept	16
	mov	x22, #offset
	b	exception
	.balign	0x80
	.set	offset, offset + 0x80
	.endr
exception:
	mrs	x23, esr_el1
	lsr	x24, x23, #26
	cbnz	x24, wrong		/* an unknown reason */
	cmp	x22, #0x400
	b.ne	1f
	mov	x24, #0x3c5
	msr	spsr_el1, x24
1:	mrs	x23, elr_el1
	add	x23, x23, #4
	msr	elr_el1, x23
	eret

#elif DOES == FLASH
	expect	FLASH_BANK, 0x464c4153, F
	expect	0x4, 0xffffffff, E
	ldr	x1, =KEPT
	ldr	w2, [x1]
	cbnz	w2, 1f
	mov	w2, #1
	str	w2, [x1]
	/* as many pages for tables as there were once, and one that a command gave back */
	mov	x1, #0x1ff000
	mov	x4, #0x800000
	bl	erased
	command	0x90
	mov	x4, #0xa00000
	bl	erased
	command	0xff
	expect	FLASH_BANK, 0x464c4153, F
	mov	x4, #FLASH_END
	bl	erased
	command	0x98
	command	0x40, 0, strb
	psci	SYSTEM_RESET
1:	str	wzr, [x1]
	say	"as it should be\n"
	psci	SYSTEM_OFF

	/* x1 on to x4: the words of each 2 MiB are as erased, by LDP */
erased:	ldp	x2, x3, [x1]
	and	x2, x2, x3
	cmn	x2, #1
	b.ne	wrong
	add	x1, x1, #0x200000
	cmp	x1, x4
	b.lo	erased
	ret

#elif DOES == READONLY
	ldr	x1, =0x10000000
	ldr	w2, [x1]
	add	w3, w2, #1
	str	w3, [x1]
	ldr	w3, [x1]
	cmp	w2, w3
	b.ne	wrong
	ldr	x1, =NOWHERE
	str	w3, [x1]
#elif DOES == FOREVER
	b	.
#endif
wrong:	say	"wrong\n"
	psci	SYSTEM_OFF

/* x10: a string */
print:	ldrb	w11, [x10], #1
	cbz	w11, 1f
	str	w11, [x19]
	b	print
1:	ret
