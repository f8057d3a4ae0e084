/* SPDX-License-Identifier: Apache-2.0 */
/* Text output to the board's UART, and the ways a run ends. */
#pragma once

#include "arch/types.h"

/*
 * Find and initialise the port of the boot loader's console. Call this function before any output.
 */
void console_init(void);

/* Return the address of the UART; return whether the UART is a PL011. */
uintptr_t console_base(void);
bool console_is_pl011(void);

/* Send bytes, with '\n' as CR LF. */
void console_bytes(const char *bytes, size_t size);

/* Send text that has no '\n'. */
void console_text(const char *text, size_t size);

/* Send a guest's byte unchanged. */
void console_guest(char byte);

/* Set the UART up again after a guest used it directly. */
void console_guest_had_it(void);

/* The queue of guests' text. One core at a time appends: console_queue() without a check for room,
 * then console_queue_end(), which lets console_send() see all that was appended. One core at a time
 * sends, possibly while another core appends. console_send() sends at most `most` bytes, and
 * returns whether the queue has more. */
#define CONSOLE_QUEUE_SIZE 2048u
void console_queue(const char *bytes, size_t size);
void console_queue_end(void);
bool console_send(unsigned most);
unsigned console_queued(void); /* bytes in the queue */

/* End the line that a guest left open. console_line() sends the queue first. */
void console_end_line(void);
void console_line(void);

/* Return a received byte, or -1. */
int console_get(void);
void console_listen(bool on); /* enable the receive interrupt, in the UART and the GIC */
unsigned console_intid(void); /* GIC_SPURIOUS if the console has no input */

/* Exit statuses of a run, for machines that have one. */
enum run_status {
	RUN_OK = 0,
	RUN_FAILED = 1,     /* the run ended, but a step failed */
	RUN_IMPOSSIBLE = 2, /* a panic, or the run could not begin */
};

/* Report that the plan is for a board: machine_end() then makes no semihosting call. */
void machine_is_silicon(void);

/* End an emulator, or reset the board. Stop forever if the board has no reset, and after
 * RUN_IMPOSSIBLE, since a reset would only repeat the cause. */
_Noreturn void machine_end(enum run_status status);

/* Report a fault of the hypervisor (file:line, registers) and end the run. A guest's action must
 * never lead here: the callers are the start, the creation of a VM, and an exception at EL2. An
 * exit uses no table page that may be missing (fill=lazy: lazy_has_tables() in vm.c). */
_Noreturn void panic_at(const char *file, int line, const char *what);
#define panic(what) panic_at(__FILE__, __LINE__, what)
