/* SPDX-License-Identifier: Apache-2.0 */
/* The guest of foreign_armv8.S, for the other isa; DTB is what it is to find in r2. */
#define GICD 0x08000000
#define GICC 0x08010000
#define UART_INTID 33
#define FLASH_BANK 0x04000000
#define FLASH_END 0x08000000
#define NOWHERE 0x0a000000
#define KEPT 0x41000000
#define STARTS 3

#define HELLO 0
#define ECHO 1
#define RESET 2
#define MACHINE 3
#define READONLY 5
#define FOREVER 6
#define FLASH 7

#define SYSTEM_OFF 0x84000008
#define SYSTEM_RESET 0x84000009

	.arch_extension virt
	.arch_extension sec
	.arm

	.macro	say text
	adr	r10, 8f
	bl	print
	b	9f
8:	.asciz	"\text"
	.balign	4
9:
	.endm

	.macro	psci id
	ldr	r0, =\id
	CONDUIT	#0
	b	.
	.endm

	.macro	expect address, value, letter
	ldr	r11, =\address
	ldr	r11, [r11]
	ldr	r12, =\value
	cmp	r11, r12
	beq	9f
	say	"wrong \letter\n"
9:
	.endm

	.macro	command value, bank=FLASH_BANK, store=str
	ldr	r11, =\bank
	mov	r12, #\value
	\store	r12, [r11, #0x154]
	.endm

	.globl	_start
_start:
	ldr	r9, =UART
#if DOES == HELLO
	say	"hello\r\nopen"
	psci	SYSTEM_OFF

#elif DOES == ECHO
	ldr	r1, =GICD
	ldr	r2, =GICC
	mov	r3, #0xff
	str	r3, [r2, #4]
	mov	r3, #1
	str	r3, [r2]
	str	r3, [r1]
	mov	r3, #2
	str	r3, [r1, #0x104]
	mov	r3, #0x70
	str	r3, [r9, #0x2c]
	mov	r3, #0x50
	str	r3, [r9, #0x38]
	say	"type\n"
1:	wfi
	ldr	r8, [r2, #0x0c]
	cmp	r8, #1020
	bhs	1b
	cmp	r8, #UART_INTID
	bne	wrong
2:	ldr	r4, [r9]
	cmp	r4, #'q'
	beq	3f
	str	r4, [r9]
	ldr	r5, [r9, #0x18]
	tst	r5, #1 << 4
	beq	2b
	str	r8, [r2, #0x10]
	b	1b
3:	say	"\nquit\n"
	psci	SYSTEM_OFF

#elif DOES == RESET
	adr	r1, loaded
	ldr	r2, [r1]
	cmp	r2, #0
	bne	wrong
	mov	r2, #1
	str	r2, [r1]
	ldr	r1, =KEPT
	ldr	r2, [r1]
	add	r2, r2, #1
	str	r2, [r1]
	say	"start\n"
	ldr	r1, =KEPT
	ldr	r2, [r1]
	cmp	r2, #STARTS
	beq	1f
	psci	SYSTEM_RESET
1:	mov	r2, #0
	str	r2, [r1]
	psci	SYSTEM_OFF
loaded:	.word	0

#elif DOES == MACHINE
	cmp	r0, #0
	bne	wrong
	cmp	r1, #0xffffffff
	bne	wrong
	ldr	r1, =DTB
	cmp	r2, r1
	bne	wrong
	mrs	r1, cpsr
	and	r1, r1, #0x1f
	cmp	r1, #0x13
	bne	wrong
	/* L2CTLR, of the implementation: undefined, in ARM and in Thumb state */
	adr	r1, vectors
	mcr	p15, 0, r1, c12, c0, 0
	mov	r7, #0
	mrc	p15, 1, r1, c9, c0, 2
	cmp	r7, #1
	bne	wrong
	blx	thumb
	cmp	r7, #2
	bne	wrong
	expect	0x09000fe0, 0x11, U
	expect	0x09000ff0, 0x0d, C
	expect	FLASH_BANK, 0x464c4153, F
	expect	0x4, 0xffffffff, E
	command	0x98
	expect	FLASH_BANK, 0x464c4153, F
	mcr	p15, 0, r9, c7, c6, 1	/* DCIMVAC of a device: nothing */
	say	"as it should be\n"
	psci	SYSTEM_OFF

	.ltorg
	.balign	32
vectors:
	b	wrong
	b	undefined
	.rept	6
	b	wrong
	.endr
undefined:			/* lr is behind the instruction: 4, or 2 and within it */
	add	r7, r7, #1
	mrs	r5, spsr
	tst	r5, #1 << 5
	addne	lr, lr, #2
	movs	pc, lr

	.thumb
	.thumb_func
thumb:	mrc	p15, 1, r1, c9, c0, 2
	bx	lr
	.arm

#elif DOES == FLASH
	expect	FLASH_BANK, 0x464c4153, F
	expect	0x4, 0xffffffff, E
	ldr	r1, =KEPT
	ldr	r2, [r1]
	cmp	r2, #0
	bne	1f
	mov	r2, #1
	str	r2, [r1]
	ldr	r1, =0x1ff000
	mov	r4, #0x800000
	bl	erased
	command	0x90
	mov	r4, #0xa00000
	bl	erased
	command	0xff
	expect	FLASH_BANK, 0x464c4153, F
	mov	r4, #FLASH_END
	bl	erased
	command	0x98
	command	0x40, 0, strb
	psci	SYSTEM_RESET
1:	mov	r3, #0
	str	r3, [r1]
	say	"as it should be\n"
	psci	SYSTEM_OFF

erased:	ldmia	r1, {r2, r3}
	and	r2, r2, r3
	cmn	r2, #1
	bne	wrong
	add	r1, r1, #0x200000
	cmp	r1, r4
	blo	erased
	bx	lr

#elif DOES == READONLY
	ldr	r1, =0x10000000
	ldr	r2, [r1]
	add	r3, r2, #1
	str	r3, [r1]
	ldr	r3, [r1]
	cmp	r2, r3
	bne	wrong
	ldr	r1, =NOWHERE
	str	r3, [r1]
#elif DOES == FOREVER
	b	.
#endif
wrong:	ldr	r9, =UART
	say	"wrong\n"
	psci	SYSTEM_OFF

print:	ldrb	r11, [r10], #1
	cmp	r11, #0
	bxeq	lr
	str	r11, [r9]
	b	print
	.ltorg
