/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guest's exceptions. The interrupt entry is part of measured windows: it saves two scratch
 * registers and then reads the counter. The read needs no isb, because exception entry synchronises
 * the context (DDI 0487 D1.13).
 *
 * Kernel stack while the EL0 task runs, from the top:
 *   interrupted kernel code
 *   CALLER_FRAME  its caller-saved registers
 *   SWITCH_FRAME  its other registers: x19-x29, ELR, SPSR
 */
#include "arch/esr.h"
#include "guest/arch/armv8/frame.inc"
#include "guest_arch/stamp.h"
#include "guest_arch/task_frame.h"

#define SWITCH_FRAME 112

	/* Load or store the task's x2 to x29; x0 = struct task_frame. */
	.macro	task_registers op
	\op	x2, x3, [x0, #TASK_X(2)]
	\op	x4, x5, [x0, #TASK_X(4)]
	\op	x6, x7, [x0, #TASK_X(6)]
	\op	x8, x9, [x0, #TASK_X(8)]
	\op	x10, x11, [x0, #TASK_X(10)]
	\op	x12, x13, [x0, #TASK_X(12)]
	\op	x14, x15, [x0, #TASK_X(14)]
	\op	x16, x17, [x0, #TASK_X(16)]
	\op	x18, x19, [x0, #TASK_X(18)]
	\op	x20, x21, [x0, #TASK_X(20)]
	\op	x22, x23, [x0, #TASK_X(22)]
	\op	x24, x25, [x0, #TASK_X(24)]
	\op	x26, x27, [x0, #TASK_X(26)]
	\op	x28, x29, [x0, #TASK_X(28)]
	.endm

/* An exception that is a crash; x0 = its offset in the table. */
	.macro	unexpected, offset
	.balign	0x80
	mov	x0, #\offset
	b	exception_unexpected
	.endm

/* Take a stamp of guest_arch/stamp.h; `before` is isb, or nop in a vector. */
	.macro	irq_stamp, before, offset, ticks, address
	\before
	mrs	\ticks, cntpct_el0
	adrp	\address, irq_stamps
	str	\ticks, [\address, :lo12:irq_stamps + \offset]
	.endm

/* Handle an interrupt, up to C. With delay=N a table spins exactly N instructions before the stamp:
 * MRS and CBZ are two of them, and TPIDR_EL1 holds N - 2. A table with stamps stores the first of
 * irq_stamps before the stamp for C, and the last after C has ended the interrupt. */
	.macro	irq_entry, delayed, stamped, exit
	.balign	0x80
	stp	x0, x1, [sp, #-CALLER_FRAME]!
	.if	\delayed
	mrs	x0, tpidr_el1
	cbz	x0, 2f
1:	subs	x0, x0, #2
	b.ne	1b
2:
	.endif
	.if	\stamped
	irq_stamp nop, IRQ_STAMP_VECTOR, x0, x1
	.endif
	mrs	x0, cntpct_el0
	caller_registers stp
	bl	irq_dispatch
	.if	\stamped
	irq_stamp isb, IRQ_STAMP_EOI, x0, x1
	.endif
	b	\exit
	.endm

/* The only synchronous exception of the task is its SVC. called: el0_call() runs EL0 instead. */
	.macro	el0_sync, called
	.balign	0x80
	.if	\called
	b	el0_exception
	.endif
	stp	x0, x1, [sp, #-16]!
	mrs	x0, esr_el1
	lsr	x0, x0, #ESR_EC_SHIFT
	cmp	x0, #EC_SVC64
	b.eq	task_wait
	mov	x0, #0x400
	b	exception_unexpected
	.endm

	.macro	el1_sync, survived
	.balign	0x80
	.if	\survived
	b	survive
	.endif
	mov	x0, #0x200
	b	exception_unexpected
	.endm

	.macro	vector_table, delayed, stamped, called=0, survived=0
	unexpected 0x000	/* from EL1 with SP_EL0: never used */
	unexpected 0x080
	unexpected 0x100
	unexpected 0x180
	el1_sync \survived	/* from EL1: synchronous */
	irq_entry \delayed, \stamped, irq_exit
	unexpected 0x300	/* FIQ */
	unexpected 0x380	/* SError */
	el0_sync \called	/* from EL0, AArch64 */
	irq_entry \delayed, \stamped, irq_return
	unexpected 0x500
	unexpected 0x580
	unexpected 0x600	/* from EL0, AArch32: never used */
	unexpected 0x680
	unexpected 0x700
	unexpected 0x780
	.endm

	.section .text.vectors, "ax"
	.balign	0x1000
	.global	guest_vectors, guest_vectors_delay_2, guest_vectors_delayed, guest_vectors_el0
	.global	guest_vectors_stamped, guest_vectors_stamped_delay_2, guest_vectors_stamped_delayed
	.global	guest_vectors_survive
guest_vectors:
	vector_table 0, 0
	.balign	0x800
guest_vectors_delay_2:
guest_vectors_delayed:
	vector_table 1, 0
	.balign	0x800
guest_vectors_el0:
	vector_table 0, 0, 1
	.balign	0x800
guest_vectors_stamped:
	vector_table 0, 1
	.balign	0x800
guest_vectors_stamped_delay_2:
guest_vectors_stamped_delayed:
	vector_table 1, 1
	.balign	0x800
guest_vectors_survive:
	vector_table 0, 0, 0, 1

	.balign	0x80
/* Return to the interrupted kernel code, or to the task if a handler woke it. */
irq_exit:
	adrp	x1, task_ready
	ldr	x0, [x1, :lo12:task_ready]
	cbnz	x0, task_enter
irq_return:
	caller_registers ldp
	ldp	x0, x1, [sp], #CALLER_FRAME
	eret

/* x0 = struct task_frame, x1 = page of task_ready. */
task_enter:
	str	xzr, [x1, :lo12:task_ready]
	mrs	x2, elr_el1
	mrs	x3, spsr_el1
	stp	x19, x20, [sp, #-SWITCH_FRAME]!
	callee_registers stp
	stp	x29, x2, [sp, #80]
	str	x3, [sp, #96]

	ldp	x1, x2, [x0, #TASK_SP]
	ldr	x3, [x0, #TASK_PSTATE]
	msr	sp_el0, x1
	msr	elr_el1, x2
	msr	spsr_el1, x3
	task_registers ldp
	ldr	x30, [x0, #TASK_X(30)]
	ldp	x0, x1, [x0]
	eret

/* The task waits: save its registers to its frame, and continue the interrupted kernel code. The
 * task's x0 and x1 are on the stack. */
task_wait:
	adrp	x0, task_frame
	add	x0, x0, :lo12:task_frame
	task_registers stp
	str	x30, [x0, #TASK_X(30)]
	ldp	x2, x3, [sp], #16
	stp	x2, x3, [x0]
	mrs	x1, sp_el0
	mrs	x2, elr_el1
	mrs	x3, spsr_el1
	stp	x1, x2, [x0, #TASK_SP]
	str	x3, [x0, #TASK_PSTATE]

	ldr	x3, [sp, #96]
	ldp	x29, x2, [sp, #80]
	callee_registers ldp
	ldp	x19, x20, [sp], #SWITCH_FRAME
	msr	elr_el1, x2
	msr	spsr_el1, x3
	b	irq_exit	/* a handler may have woken the task again */

/* Skip the faulting instruction while faults are allowed. */
survive:
	stp	x0, x1, [sp, #-16]!
	adrp	x1, guest_faults_allowed
	ldr	w0, [x1, :lo12:guest_faults_allowed]
	cbz	w0, 1f
	sub	w0, w0, #1
	str	w0, [x1, :lo12:guest_faults_allowed]
	mrs	x0, elr_el1
	add	x0, x0, #4
	msr	elr_el1, x0
	ldp	x0, x1, [sp], #16
	eret
1:	mov	x0, #0x200

/* A separate stack is used, since the fault may have come from the stack. */
	.global	exception_unexpected
exception_unexpected:
	adrp	x1, __crash_stack_end
	mov	sp, x1
	mrs	x1, elr_el1
	b	exception_report

/*
 * The EL0 task: x0 = struct task_shared. The task stamps the counter, then increments the count,
 * and waits again.
 */
	.section .el0_text, "ax"
	.global	task_el0_entry
1:	svc	#0
task_el0_entry:
	mrs	x1, cntpct_el0
	str	x1, [x0]
	ldr	w2, [x0, #8]
	add	w2, w2, #1
	str	w2, [x0, #8]
	b	1b
