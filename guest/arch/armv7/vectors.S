/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guest's exceptions. The interrupt entry is part of measured windows: it saves two scratch
 * registers and then reads the counter. The read needs no isb, because exception entry synchronises
 * the context (DDI 0406C A3.8.3).
 *
 * Kernel code runs in Supervisor mode. IRQ mode handles interrupts on a separate stack; interrupts
 * do not nest, so the return state (LR_irq, SPSR_irq) stays in its registers.
 * IRQ stack while the PL0 task runs, from the top:
 *   r0, r1; r2, r3, r12, LR_irq         the interrupted code's registers that C may change
 *   SPSR_irq, LR_svc, r4-r11            the other registers of that code
 */
#include "guest/arch/armv7/exceptions.inc"
#include "guest_arch/stamp.h"
#include "guest_arch/task_frame.h"

	.arch	armv7ve
	.arm

#define MODE_IRQ 0x12
#define MODE_SVC 0x13
#define PSR_MODE_LOW 0xf	/* 0 in User mode only */

	.macro	load_address, register, symbol
	movw	\register, #:lower16:\symbol
	movt	\register, #:upper16:\symbol
	.endm

	.section .text.vectors, "ax"
	.balign	32
	.global	guest_vectors, guest_vectors_delay_2, guest_vectors_delayed, guest_vectors_el0
	.global	guest_vectors_stamped, guest_vectors_stamped_delay_2, guest_vectors_stamped_delayed
	.global	guest_vectors_survive
guest_vectors:
	vector_table irq_entry, svc_entry
guest_vectors_delay_2:
	vector_table irq_entry_delay_2, svc_entry
guest_vectors_delayed:
	vector_table irq_entry_delayed, svc_entry
guest_vectors_el0:
	vector_table irq_entry, el0_return, el0_fault
guest_vectors_stamped:
	vector_table irq_entry_stamped, svc_entry
guest_vectors_stamped_delay_2:
	vector_table irq_entry_stamped_delay_2, svc_entry
guest_vectors_stamped_delayed:
	vector_table irq_entry_stamped_delayed, svc_entry
guest_vectors_survive:
	vector_table irq_entry, svc_entry, survive_data, survive_undefined

/* Take a stamp of guest_arch/stamp.h; `before` is isb, or nop in a vector. The macro changes r2, r3
 * and r12. */
	.macro	irq_stamp, before, offset
	\before
	mrrc	p15, 0, r2, r3, c14
	load_address r12, irq_stamps
	strd	r2, r3, [r12, #\offset]
	.endm

	.macro	leave_interrupt
	pop	{r2, r3, r12, lr}
	pop	{r0, r1}
	subs	pc, lr, #4
	.endm

/* Return to the interrupted code, or to the task if a handler woke it. */
	.macro	leave_to_task_or_code
	load_address r1, task_ready
	ldr	r0, [r1]
	cmp	r0, #0
	bne	task_enter
	leave_interrupt
	.endm

/* Handle an interrupt. With delay=N a benchmark adds N instructions before the stamp. MRC and the
 * last branch are two of them, and TPIDRPRW holds N - 2; N = 2 leaves no room for a loop. With
 * stamps the entry stores the first of irq_stamps as soon as it has free registers, and the last
 * after C has ended the interrupt. */
	.macro	irq_entries, name, stamped
\name\()_delayed:
	push	{r0, r1}
	mrc	p15, 0, r0, c13, c0, 4
1:	subs	r0, r0, #2
	bne	1b
	b	2f

\name\()_delay_2:
	push	{r0, r1}
	nop
	b	2f

\name\():
	push	{r0, r1}
2:	mrrc	p15, 0, r0, r1, c14		/* CNTPCT */
	push	{r2, r3, r12, lr}
	.if	\stamped
	irq_stamp nop, IRQ_STAMP_VECTOR
	.endif
	bl	irq_dispatch
	.if	\stamped
	irq_stamp isb, IRQ_STAMP_EOI
	.endif
	leave_to_task_or_code
	.endm

	irq_entries irq_entry_stamped, 1
	irq_entries irq_entry, 0

/* r0 = struct task_frame, r1 = &task_ready. */
task_enter:
	mrs	r2, spsr
	tst	r2, #PSR_MODE_LOW
	beq	1f			/* the task is running: it wakes at its next wait */
	mov	r3, #0
	str	r3, [r1]
	cps	#MODE_SVC
	mov	r3, lr
	cps	#MODE_IRQ
	push	{r2-r11}

	ldr	lr, [r0, #TASK_PC]
	ldr	r1, [r0, #TASK_PSTATE]
	msr	spsr_cxsf, r1
	ldm	r0, {r0-r14}^
	nop /* no banked register access in the next instruction (DDI 0406C B9.3.5) */
	movs	pc, lr
1:	leave_interrupt

/* The task waits: save its registers to its frame, and continue the interrupted kernel code. */
svc_entry:
	push	{r0, lr}
	mrs	lr, spsr
	tst	lr, #PSR_MODE_LOW
	bne	unexpected_svc
	load_address r0, task_frame
	str	lr, [r0, #TASK_PSTATE]
	pop	{lr}
	str	lr, [r0], #4		/* the task's r0 */
	stm	r0, {r1-r14}^
	nop
	pop	{lr}
	str	lr, [r0, #TASK_PC - 4]

	cps	#MODE_IRQ
	pop	{r2-r11}
	msr	spsr_cxsf, r2
	cps	#MODE_SVC
	mov	lr, r3
	cps	#MODE_IRQ
	leave_to_task_or_code		/* a handler may have woken the task again */

/* Skip the faulting instruction of ARM code while faults are allowed. These modes have no stack, so
 * sp is free. */
	.macro	survive, name, back
survive_\name:
	load_address sp, guest_survive_registers
	stm	sp, {r0, r1}
	load_address r1, guest_faults_allowed
	ldr	r0, [r1]
	subs	r0, r0, #1
	blo	unexpected_\name
	str	r0, [r1]
	ldm	sp, {r0, r1}
	subs	pc, lr, #\back
	.endm

	survive data, 4
	survive undefined, 0

	.macro	unexpected, name, offset
	.global	unexpected_\name
unexpected_\name:
	mov	r0, #\offset
	b	exception_unexpected
	.endm

	unexpected_exceptions

/*
 * r0 = offset of the vector. A separate stack is used, since the fault may have come from the
 * stack.
 */
	.global	exception_unexpected
exception_unexpected:
	load_address sp, __crash_stack_end
	mov	r1, lr
	b	exception_report

	.bss
	.balign	8
guest_survive_registers:		/* place for r0 and r1 */
	.space	8

/*
 * The PL0 task: r0 = struct task_shared. The task stamps the counter, then increments the count,
 * and waits again.
 */
	.section .el0_text, "ax"
	.global	task_el0_entry
1:	svc	#0
task_el0_entry:
	mrrc	p15, 0, r2, r3, c14
	strd	r2, r3, [r0]
	ldr	r1, [r0, #8]
	add	r1, r1, #1
	str	r1, [r0, #8]
	b	1b
