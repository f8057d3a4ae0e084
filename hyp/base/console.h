/* SPDX-License-Identifier: Apache-2.0 */
/* Text to the board's UART, and the ways a run ends. */
#pragma once

#include "arch/types.h"

/* Finds and initialises the port of the boot loader's console. Call before any output. */
void console_init(void);

/* Address of the UART; whether the UART is a PL011. */
uintptr_t console_base(void);
bool console_is_pl011(void);

/* Sends '\n' as CR LF. */
void console_bytes(const char *bytes, size_t size);

/* Sends a guest's byte unchanged. */
void console_guest(char byte);

/* Sets the UART up again after a guest used it directly. */
void console_guest_had_it(void);

/* Guests' text that waits: console_queue() adds to it, and does not check for room; console_send()
 * sends so many bytes of it at most. True: there is more. */
#define CONSOLE_QUEUE_SIZE 2048u
void console_queue(const char *bytes, size_t size);
bool console_send(unsigned most);

/* Sends what waits, and ends the line that a guest left open, if any. */
void console_line(void);

/* Returns a received byte, or -1. */
int console_get(void);
void console_listen(bool on); /* the receive interrupt, in the UART and the GIC */
unsigned console_intid(void); /* GIC_SPURIOUS: the console has no input */

/* Exit statuses of a run, on machines that have one. */
enum run_status {
	RUN_OK = 0,
	RUN_FAILED = 1,     /* the run ended, but a step failed */
	RUN_IMPOSSIBLE = 2, /* panic, or the run did not begin */
};

/* Ends an emulator; else resets the board. Stops for good where the board has no reset, and after
 * RUN_IMPOSSIBLE: a reset would only repeat the cause. */
_Noreturn void machine_end(enum run_status status);

/* Reports a fault of the hypervisor: file:line, registers; then ends the run. A guest's action must
 * never lead here: the callers are the start, the creation of a VM, and an exception at EL2. An
 * exit takes no table page that may be missing (fill=lazy: lazy_has_tables() in vm.c). */
_Noreturn void panic_at(const char *file, int line, const char *what);
#define panic(what) panic_at(__FILE__, __LINE__, what)
