/* SPDX-License-Identifier: Apache-2.0 */
/* As visitor_armv8.S, which says what it does. */
#define UART 0x09000000
#define UART_FR 0x18
#define UART_FR_RXFE (1 << 4)
#define PSCI_VERSION 0x84000000
#define SYSTEM_OFF 0x84000008
#define SYSTEM_RESET 0x84000009
#define MAGIC 0x56495354

	.arch_extension virt
	.text
	.arm
	.globl	_start
_start:
	mov	r9, r2			/* the device tree */
	mov	r10, #UART
	adr	r0, hello
	bl	print
	mrs	r0, cpsr
	bic	r0, r0, #0xf8000000	/* flags */
	bl	print_hex
	ldr	r0, [r9]
	rev	r0, r0
	bl	print_hex
	adr	r8, script
next:
	ldrb	r7, [r8]
	cmp	r7, #0
	beq	listen
	add	r8, r8, #1
	b	command
listen:
	ldr	r0, [r10, #UART_FR]
	tst	r0, #UART_FR_RXFE
	bne	listen
	ldr	r7, [r10]
	and	r7, r7, #0xff
	str	r7, [r10]
command:
	cmp	r7, #'v'
	beq	version
	cmp	r7, #'i'
	beq	initrd
	cmp	r7, #'d'
	beq	decoy
	cmp	r7, #'p'
	beq	prompt
	cmp	r7, #'r'
	beq	reset
	cmp	r7, #'R'
	beq	restart
	cmp	r7, #'x'
	beq	exit_line
	cmp	r7, #'c'
	beq	crash
	cmp	r7, #'q'
	bne	next
	ldr	r0, =SYSTEM_OFF
	hvc	#0
version:
	ldr	r0, =PSCI_VERSION
	hvc	#0
	bl	print_hex
	b	next
initrd:
	ldr	r5, =INITRD
	mov	r6, #4
1:	ldrb	r0, [r5], #1
	str	r0, [r10]
	subs	r6, r6, #1
	bne	1b
	b	next
decoy:
	adr	r0, like_a_record
	bl	print
	b	next
prompt:
	adr	r0, no_end
	bl	print
	b	next
reset:
	ldr	r0, =MARK
	ldr	r1, =MAGIC
	ldr	r2, [r0]
	cmp	r1, r2
	beq	next
	str	r1, [r0]
restart:
	ldr	r0, =SYSTEM_RESET
	hvc	#0
exit_line:
	adr	r0, exit_status
	bl	print
	b	next
	.globl	crash
crash:
	ldr	r0, =UART
	ldrb	r1, [r0], #1

print:
	ldrb	r1, [r0], #1
	cmp	r1, #0
	strne	r1, [r10]
	bne	print
	bx	lr

/* r0, eight digits and a line end */
print_hex:
	mov	r1, #28
1:	lsr	r2, r0, r1
	and	r2, r2, #0xf
	cmp	r2, #10
	addlo	r3, r2, #'0'
	addhs	r3, r2, #'a' - 10
	str	r3, [r10]
	subs	r1, r1, #4
	bpl	1b
	mov	r3, #'\r'
	str	r3, [r10]
	mov	r3, #'\n'
	str	r3, [r10]
	bx	lr

	.ltorg
hello:
	.asciz	"hello\r\n"
	.align	2
like_a_record:
	.asciz	"{\"seq\":1,\"kind\":\"end\",\"crc\":\"00000000\"}\r\n"
	.align	2
no_end:
	.asciz	"=> "
	.align	2
exit_status:
	.asciz	"EXIT: STATUS=5\r\n"
	.align	2
script:
	.asciz	SCRIPT
