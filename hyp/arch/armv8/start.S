/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first instructions: from the boot loader's state to C at EL2 with translation and caches off.
 * At EL3 el3.c sets EL3 up, and the image enters EL2. At EL1 C reports the level and stops.
 */
#include "arch/control.h"
#include "arch/hcr.h"
#include "hyp/base/boot_state.h"

#define SPSR_EL2H_MASKED 0x3c9

	.section .text.start, "ax"
	.global _start
_start:
	/* The header of an arm64 Image (Linux: Documentation/arch/arm64/booting.rst). Flags: little
	   endian, 4 KiB pages, and bit 3 clear: a loader must put the image text_offset bytes
	   after the start of RAM, the address that the image is linked for. */
	b	begin
	.long	0
	.quad	__image_text_offset
	.quad	__image_size			/* size in memory, including bss and stack */
	.quad	2
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.long	0

begin:
	mrs	x19, cntpct_el0			/* x19 to x23: struct boot_state */
	mrs	x20, daif
	msr	daifset, #0xf
	mov	x22, #0
	mov	x23, #0
	mrs	x21, currentel
	lsr	x21, x21, #2

	/* The core with affinity 0.0 boots. Other cores that start here report their level. */
	mrs	x0, mpidr_el1
	tst	x0, #0xffff
	b.ne	smp_boot_entry

find_place:
	adr	x0, _start
	ldr	x1, =__image_start
	cmp	x0, x1
	b.ne	move_image

	/* Set vectors and a stack first, so that the panic reports every later exception. */
	msr	spsel, #1
	ldr	x0, =__boot_stack_end
	mov	sp, x0
	ldr	x0, =vectors
	ldr	x1, =SCTLR_EL2_OFF
	cmp	x21, #ENTRY_EL2
	b.eq	from_el2
	b.hi	from_el3
	msr	vbar_el1, x0
	b	clear_bss

from_el2:
	msr	vbar_el2, x0
	mrs	x22, sctlr_el2
	mrs	x23, hcr_el2
	bl	clean_image
	msr	sctlr_el2, x1
	isb
	b	clear_bss

from_el3:
	msr	vbar_el3, x0
	bl	clean_image
	msr	sctlr_el3, x1
	isb
	tlbi	alle3

	/* Clean again with the cache off: the core may have fetched lines in between, which would
	 * hide later writes to memory once the cache is on again. */
clear_bss:
	bl	clean_image
	ic	iallu
	dsb	sy
	isb
	ldr	x0, =__bss_start
	ldr	x1, =__bss_end			/* both ends are 16-byte aligned */
1:	stp	xzr, xzr, [x0], #16
	cmp	x0, x1
	b.lo	1b

	ldr	x0, =boot_state
	stp	x19, x20, [x0]
	stp	x21, x22, [x0, #16]
	str	x23, [x0, #32]

	cmp	x21, #ENTRY_EL2
	b.lo	hyp_main			/* hyp_main refuses that level */
	b.eq	at_el2
	bl	el3_prepare
	ldr	x0, =SCTLR_EL2_OFF
	msr	sctlr_el2, x0
	adr	x0, at_el2
	msr	elr_el3, x0
	mov	x0, #SPSR_EL2H_MASKED
	msr	spsr_el3, x0
	ldr	x0, =__boot_stack_end
	msr	sp_el2, x0
	isb
	eret

at_el2:
	ldr	x0, =(HCR_RW | HCR_AMO)
	bl	el2_reset
	/* Take an SError that the loader left pending: EL2 reports it before any guest runs. AMO
	 * routes it to EL2 (DDI 0487 D1.13.4). */
	msr	daifclr, #4
	isb
	msr	daifset, #4
	bl	hyp_main
	b	.

	/*
	 * Set HCR_EL2 from x0 and the hypervisor's vectors, and empty the TLBs. The code changes
	 * x0.
	 */
	.global	el2_reset
el2_reset:
	msr	hcr_el2, x0
	ldr	x0, =vectors
	msr	vbar_el2, x0
	isb
	ic	iallu
	tlbi	alle2
	tlbi	alle1
	dsb	sy
	isb
	ret

	/* Clean the image's cache lines to memory: a loader may have left the lines dirty and its
	 * cache on. The code changes x2 to x5. */
clean_image:
	ldr	x4, =__image_start
	ldr	x5, =__image_end
clean:						/* clean from x4 to x5 */
	mrs	x2, ctr_el0
	ubfx	x2, x2, #16, #4
	mov	x3, #4
	lsl	x3, x3, x2			/* size of the smallest data cache line, in bytes */
1:	dc	civac, x4
	add	x4, x4, x3
	cmp	x4, x5
	b.lo	1b
	dsb	sy
	ret

	/* Move the image, without bss, from x0 to x1, the address that it is linked for. If the two
	 * ranges overlap, move the image beyond both of them first. */
move_image:
	ldr	x3, =__bss_start
	sub	x3, x3, x1			/* bytes, a multiple of 16 */
	subs	x4, x0, x1
	cneg	x4, x4, lo
	cmp	x4, x3
	b.hs	1f
	cmp	x0, x1
	csel	x1, x0, x1, hi
	add	x1, x1, x3
1:	mov	x4, x1
	add	x5, x1, x3
2:	ldp	x6, x7, [x0], #16
	stp	x6, x7, [x1], #16
	cmp	x1, x5
	b.lo	2b
	adr	x6, _start
	adr	x7, find_place
	sub	x7, x7, x6
	add	x7, x7, x4
	bl	clean
	ic	iallu
	dsb	sy
	isb
	br	x7
	.ltorg
