/* SPDX-License-Identifier: Apache-2.0 */
/* Text to the board's UART, and the ways a run ends. */
#pragma once

#include "arch/types.h"

/* Finds the port that the boot loader's console is on; before any output. */
void console_init(void);

/* Address of its UART; whether that is a PL011. */
uintptr_t console_base(void);
bool console_is_pl011(void);

/* '\n' goes out as CR LF. */
void console_bytes(const char *bytes, size_t size);

/* A byte of a guest's, as it is. */
void console_guest(char byte);

/* A guest had the UART itself, sent anything, and left it somehow. */
void console_guest_had_it(void);

/* To the beginning of a line, where what a guest sent left the last one open. */
void console_line(void);

/* What has been typed, or -1; its interrupt at the GIC. */
int console_get(void);
void console_listen(bool on);
unsigned console_intid(void); /* GIC_SPURIOUS: it has no input */

/* Exit statuses of a run, where the machine can hand one on. */
enum run_status {
	RUN_OK = 0,
	RUN_FAILED = 1,     /* ran to its end, but something in it failed */
	RUN_IMPOSSIBLE = 2, /* panic, or not even begun */
};

/* Ends an emulator; else resets the board, or stops for good where it has no reset or the run was
 * impossible: what made it so would only come again. */
_Noreturn void machine_end(enum run_status status);

/* A fault of our own: file:line, registers, the end. Never for what a guest did: it is called at
 * the start, while a VM is made, and by an exception of EL2. No other exit leads there, nor takes a
 * page that may not be there (fill=lazy: lazy_has_tables() in vm.c). */
_Noreturn void panic_at(const char *file, int line, const char *what);
#define panic(what) panic_at(__FILE__, __LINE__, what)
