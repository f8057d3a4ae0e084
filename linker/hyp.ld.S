/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hypervisor's image. Segments are separate by access (text, read-only, data), each
 * page-aligned, so that the hypervisor maps them W^X. boards/<board>/board.mk has HYP_BASE.
 */
#define HOT(name) *(.text.name .text.name.* .text.unlikely.name .text.unlikely.name.*)
#define HOT_LINE . = ALIGN(64);

ENTRY(_start)

PHDRS
{
	text PT_LOAD FLAGS(5);
	rodata PT_LOAD FLAGS(4);
	data PT_LOAD FLAGS(6);
}

SECTIONS
{
	. = HYP_BASE;
	__image_start = .;

	.start : {
		__text_start = .;
		*(.text.start)
	} :text

	/* A new page, so that the size of the sections before moves no hot line. */
	.hot ALIGN(4096) : {
		__hot_start = .;
#include "linker/hot.ld.inc"
		HOT_LINE
		__hot_end = .;
	} :text

	.text : {
		*(.text .text.*)
		. = ALIGN(4096);
		__text_end = .;
	} :text

	.rodata : {
		__rodata_start = .;
		*(.rodata .rodata.*)
		. = ALIGN(16);
	} :rodata

	/* `hypbench patch` rewrites this section. */
	.plan : {
		. = ALIGN(16);
		KEEP(*(.plan))
		. = ALIGN(4096);
		__rodata_end = .;
	} :rodata

	.data : {
		__data_start = .;
		*(.data .data.*)
		. = ALIGN(16);
	} :data

	.bss (NOLOAD) : {
		. = ALIGN(4096);
		__bss_start = .;
		/* lib/percpu.h: a multiple of the page size, since each core maps its own copy */
		__percore_start = .;
		*(.bss.percore.hot)
		*(.bss.percore.hot_last)
		*(.bss.percore)
		. = ALIGN(4096);
		__percore_end = .;
		*(.bss .bss.* COMMON)
		. = ALIGN(16);
		__bss_end = .;
		. += 0x4000;
		__boot_stack_end = .;
		. = ALIGN(4096);
		/* copies of all cores but core 0: CORE_MAX - 1 of lib/percpu.h */
		__percore_copies = .;
		. += 3 * (__percore_end - __percore_start);
		__data_end = .;
	} :data

	ASSERT(vectors_rest - vectors <= vectors_rest_most, "trap_irq does not fit into vectors.S")

	__image_end = .;
	__image_size = __image_end - __image_start;
	/* offset from the start of RAM, which is at a multiple of 1 GiB on every board (ARMv8) */
	__image_text_offset = HYP_BASE & 0x3fffffff;

	/DISCARD/ : {
		*(.comment .note .note.* .eh_frame .eh_frame_hdr)
		*(.ARM.exidx .ARM.exidx.* .ARM.attributes)
	}
}
