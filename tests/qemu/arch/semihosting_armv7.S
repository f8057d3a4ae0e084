/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that asks the emulator for the host, by semihosting: a command (SYS_SYSTEM), a file
 * (SYS_OPEN, SYS_WRITE), the removal of another (SYS_REMOVE).
 * Define: FOLDER, of the host.
 */
	.syntax	unified
	.arch	armv7ve
	.arch_extension virt
	.arm

#include "abi/guest_run.h"

#define SYS_OPEN 0x01
#define SYS_WRITE 0x05
#define SYS_REMOVE 0x0e
#define SYS_SYSTEM 0x12
#define MODE_W 4
#define HC_EXIT 0x86000002

	.macro	semihosting operation, block
	mov	r0, #\operation
	adr	r1, \block
	.inst	0xe10f0070		/* HLT #0xf000 */
	.endm

	.text
	.globl	_start
_start:	.ascii	GUEST_HEADER_MAGIC "\0"
	.word	_start, 0, entry, 0, end - _start, 0, end, 0

entry:	semihosting SYS_SYSTEM, command
	semihosting SYS_OPEN, taken
	adr	r1, written
	str	r0, [r1]		/* the handle, if there is one */
	semihosting SYS_WRITE, written
	semihosting SYS_REMOVE, kept
	ldr	r0, =HC_EXIT
	mov	r1, #0			/* GUEST_EXIT_DONE */
	hvc	#0
	b	.

	.balign	4
command:
	.word	1f, 2f - 1f - 1
taken:	.word	2f, MODE_W, 3f - 2f - 1
written:
	.word	0, 2f, 1
kept:	.word	3f, 4f - 3f - 1
1:	.ascii	"touch "
	.ascii	FOLDER
	.asciz	"/ran"
2:	.ascii	FOLDER
	.asciz	"/taken"
3:	.ascii	FOLDER
	.asciz	"/kept"
4:	.balign	4
	.ltorg
	.balign	8
end:
