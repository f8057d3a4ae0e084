/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The neutral probe (guest/probe/): a flat image for any address, linked at 0 with its relocations,
 * which start.S applies. bss and the stack follow the file.
 */
#define PAGE 0x1000
#define STACK_SIZE 0x2000

ENTRY(probe_start)

PHDRS
{
	text PT_LOAD FLAGS(5);
	data PT_LOAD FLAGS(6);
	dynamic PT_DYNAMIC FLAGS(6);
}

SECTIONS
{
	. = 0;
	.text : {
		KEEP(*(.text.start))
		. = ALIGN(0x800);
		*(.text.vectors)
		*(.text .text.*)
	} : text
	.rodata : ALIGN(16) { *(.rodata .rodata.*) } : text
	.relocations : ALIGN(16) {
		__relocations_start = .;
		*(.rela.* .rel.*)
		__relocations_end = .;
	} : text
	.linking : { *(.dynsym) *(.dynstr) *(.hash) *(.gnu.hash) *(.interp) } : text
	. = ALIGN(PAGE);
	.dynamic : { *(.dynamic) } : data : dynamic
	.data : ALIGN(16) {
		*(.data .data.*)
		*(.got .got.plt)
		. = ALIGN(16);
		/* the section is never empty, so that the file reaches __image_end */
		QUAD(0)
		QUAD(0)
	} : data
	__image_end = .;
	.bss (NOLOAD) : ALIGN(16) {
		__bss_start = .;
		*(.bss .bss.* COMMON)
		. = ALIGN(16);
		__bss_end = .;
		. += STACK_SIZE;
		__stack_end = .;
		. = ALIGN(PAGE);
	} : data
	__memory_end = .;

	/DISCARD/ : { *(.comment) *(.note*) *(.eh_frame*) *(.ARM.*) }
}
