/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that is not our own, at whatever address: it says what it was started with and that it
 * is there, then does what each letter of SCRIPT, and then each that is typed, says:
 *   v  PSCI_VERSION by HVC, told    i  four characters at INITRD
 *   d  a line like a record         p  a line that does not end
 *   r  SYSTEM_RESET, once           c  an access that cannot be emulated
 *   R  SYSTEM_RESET                 x  the line EXIT: STATUS=5
 *   q  SYSTEM_OFF
 * MARK is in RAM and not in its image.
 */
#define UART 0x09000000
#define UART_FR 0x18
#define UART_FR_RXFE_BIT 4
#define PSCI_VERSION 0x84000000
#define SYSTEM_OFF 0x84000008
#define SYSTEM_RESET 0x84000009
#define MAGIC 0x56495354

	.text
	.globl	_start
_start:
	mov	x19, x0			/* the device tree */
	movz	w20, #UART >> 16, lsl #16
	adr	x0, hello
	bl	print
	mrs	x0, CurrentEL
	bl	print_hex
	ldr	w0, [x19]
	rev	w0, w0
	bl	print_hex
	adr	x21, script
next:
	ldrb	w22, [x21]
	cbz	w22, listen
	add	x21, x21, #1
	b	command
listen:
	ldr	w0, [x20, #UART_FR]
	tbnz	w0, #UART_FR_RXFE_BIT, listen
	ldr	w22, [x20]
	and	w22, w22, #0xff
	str	w22, [x20]
command:
	cmp	w22, #'v'
	b.eq	version
	cmp	w22, #'i'
	b.eq	initrd
	cmp	w22, #'d'
	b.eq	decoy
	cmp	w22, #'p'
	b.eq	prompt
	cmp	w22, #'r'
	b.eq	reset
	cmp	w22, #'R'
	b.eq	restart
	cmp	w22, #'x'
	b.eq	exit_line
	cmp	w22, #'c'
	b.eq	crash
	cmp	w22, #'q'
	b.ne	next
	ldr	x0, =SYSTEM_OFF
	hvc	#0
version:
	ldr	x0, =PSCI_VERSION
	hvc	#0
	bl	print_hex
	b	next
initrd:
	ldr	x23, =INITRD
	mov	x24, #4
1:	ldrb	w0, [x23], #1
	str	w0, [x20]
	subs	x24, x24, #1
	b.ne	1b
	b	next
decoy:
	adr	x0, like_a_record
	bl	print
	b	next
prompt:
	adr	x0, no_end
	bl	print
	b	next
reset:
	ldr	x0, =MARK
	ldr	w1, =MAGIC
	ldr	w2, [x0]
	cmp	w1, w2
	b.eq	next
	str	w1, [x0]
restart:
	ldr	x0, =SYSTEM_RESET
	hvc	#0
exit_line:
	adr	x0, exit_status
	bl	print
	b	next
	.globl	crash
crash:
	ldr	x0, =UART
	ldrb	w1, [x0], #1

print:
	ldrb	w1, [x0], #1
	cbz	w1, 1f
	str	w1, [x20]
	b	print
1:	ret

/* w0, eight digits and a line end */
print_hex:
	mov	w1, #28
1:	lsr	w2, w0, w1
	and	w2, w2, #0xf
	add	w3, w2, #'0'
	add	w4, w2, #'a' - 10
	cmp	w2, #10
	csel	w3, w3, w4, lo
	str	w3, [x20]
	subs	w1, w1, #4
	b.pl	1b
	mov	w3, #'\r'
	str	w3, [x20]
	mov	w3, #'\n'
	str	w3, [x20]
	ret

	.ltorg
hello:
	.asciz	"hello\r\n"
like_a_record:
	.asciz	"{\"seq\":1,\"kind\":\"end\",\"crc\":\"00000000\"}\r\n"
no_end:
	.asciz	"=> "
exit_status:
	.asciz	"EXIT: STATUS=5\r\n"
script:
	.asciz	SCRIPT
