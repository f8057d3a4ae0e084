/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guest image. GUEST_BASE is the start of the guest's RAM (boards/<board>/board.mk); the image
 * begins GUEST_IMAGE_OFFSET (abi/guest_run.h) above it. The file holds everything up to
 * __image_end. guest/kernel/mmu.c maps each section with its own permissions, so each section
 * begins on a new page.
 */
#define PAGE 0x1000
#define IMAGE_OFFSET 0x100000
#define MEMORY_SIZE 0x10000000 /* largest size with stacks and heap; every board has more */
#define STACK_SIZE 0x4000
#define SMALL_STACK_SIZE 0x800

ENTRY(guest_entry)

PHDRS
{
	text PT_LOAD FLAGS(5);
	rodata PT_LOAD FLAGS(4);
	data PT_LOAD FLAGS(6);
}

SECTIONS
{
	. = GUEST_BASE + IMAGE_OFFSET;
	__image_start = .;

	.text : {
		/* struct guest_header */
		KEEP(*(.header))
		QUAD(__image_start)
		QUAD(guest_entry)
		QUAD(__image_end - __image_start)
		QUAD(__memory_end)
		*(.text.start)
		*(.text.vectors)
		/* Within a page: QEMU counts one isb less at the end of a page (CAVEATS.md). */
		. = ALIGN(PAGE / 2);
		*(.text.sysreg_run)
		*(.text .text.*)
		. = ALIGN(PAGE);
	} : text
	__text_end = .;

	/* A separate section, so that the linker's veneers (AArch32: a jump to the C library's
	 * Thumb code) follow the kernel's code: the kernel must not execute the task's pages. */
	.el0_text : {
		*(.el0_text)
		. = ALIGN(PAGE);
	} : text
	__el0_text_end = .;

	.rodata : {
		*(.rodata .rodata.*)
		. = ALIGN(8);
		__bench_start = .;
		KEEP(*(bench))
		__bench_end = .;
		__load_start = .;
		KEEP(*(load))
		__load_end = .;
	} : rodata
	. = ALIGN(PAGE);
	__rodata_end = .;

	.data : {
		/* the C library's data, for guest/kernel/libc.c; with -g newlib's file is libg.a */
		__libc_data_start = .;
		*libc.a:*(.data .data.*)
		*libg.a:*(.data .data.*)
		__libc_data_end = .;
		*(.data .data.*)
		/* addresses for picolibc's position-independent code */
		*(.got .got.plt)
		. = ALIGN(16);
		/*
		 * thread-local data of the C library: one thread, whose initial values are in place
		 */
		__tls_base = .;
		*(.tdata .tdata.*)
		*(.tbss .tbss.*)
		. = ALIGN(16);
		/* the section is never empty, so that the file reaches __image_end */
		QUAD(0)
		QUAD(0)
	} : data
	__image_end = .;

	.bss (NOLOAD) : ALIGN(16) {
		__bss_start = .;
		. = ALIGN(PAGE);
		__el0_data_start = .;
		*(.bss.el0)
		. = ALIGN(PAGE);
		__el0_data_end = .;
		__libc_bss_start = .;
		*libc.a:*(.bss .bss.* COMMON)
		*libg.a:*(.bss .bss.* COMMON)
		__libc_bss_end = .;
		*(.bss .bss.* COMMON)
		. = ALIGN(16);
		__bss_end = .;
	} : data

	.noinit (NOLOAD) : {
		. += STACK_SIZE;
		. = ALIGN(PAGE);
		__stack_end = .;
		. += SMALL_STACK_SIZE;
		__irq_stack_end = .;
		. += SMALL_STACK_SIZE;
		. = ALIGN(PAGE);
		__crash_stack_end = .;
		*(.noinit)
		. = ALIGN(PAGE);
		__memory_end = .;
	} : data

	/DISCARD/ : { *(.comment) *(.note*) *(.eh_frame*) *(.ARM.*) *(.init .fini) }
}

ASSERT(__memory_end - GUEST_BASE <= MEMORY_SIZE, "the guest is larger than any board's guest RAM")
ASSERT(__libc_data_end + __libc_bss_end > __libc_data_start + __libc_bss_start,
	"no data of the C library found: malloc() could not be reset")
