/* SPDX-License-Identifier: Apache-2.0 */
/* Text to the board's UART, and the ways a run ends. */
#pragma once

#include "arch/types.h"

/* '\n' goes out as CR LF. */
void console_bytes(const char *bytes, size_t size);

/* Exit statuses of a run, where the machine can hand one on. */
enum run_status {
	RUN_OK = 0,
	RUN_FAILED = 1,     /* ran to its end, but something in it failed */
	RUN_IMPOSSIBLE = 2, /* panic, or not even begun */
};

/* Ends the machine, or stops for good where it has no end. */
_Noreturn void machine_end(enum run_status status);

/* A fault of our own: file:line, registers, the end. Never for what a guest did. */
_Noreturn void panic_at(const char *file, int line, const char *what);
#define panic(what) panic_at(__FILE__, __LINE__, what)
