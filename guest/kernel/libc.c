/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/libc.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "guest/kernel/fail.h"

/* linker/guest.ld.S has these symbols: the library's variables, above all malloc()'s lists. */
extern char __libc_data_start[], __libc_data_end[], __libc_bss_start[], __libc_bss_end[];

static uintptr_t heap_at, heap_end;

void *sbrk(ptrdiff_t increment);
void *_sbrk(ptrdiff_t increment) __attribute__((alias("sbrk")));

/* picolibc calls sbrk(), the POSIX name; newlib calls _sbrk(). */
void *sbrk(ptrdiff_t increment)
{
	uintptr_t old = heap_at;

	if (increment < 0 || (size_t)increment > heap_end - heap_at) {
		errno = ENOMEM;
		return (void *)-1;
	}
	heap_at += (size_t)increment;
	return (void *)old;
}

/* The first call saves the image's values; each later call restores these values. */
static void reset_data(void)
{
	static char pristine[4096];
	static bool saved;
	size_t size = (size_t)(__libc_data_end - __libc_data_start);

	if (size > sizeof(pristine))
		guest_refuse("the C library has more data than expected, bytes", size);
	if (saved)
		memcpy(__libc_data_start, pristine, size);
	else
		memcpy(pristine, __libc_data_start, size);
	saved = true;
}

void libc_reset(uintptr_t start, size_t size)
{
	reset_data();
	memset(__libc_bss_start, 0, (size_t)(__libc_bss_end - __libc_bss_start));
	heap_at = start;
	heap_end = start + size;
}
