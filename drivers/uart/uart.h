/* SPDX-License-Identifier: Apache-2.0 */
/* A console: output only, polled. The part is chosen at link time. */
#pragma once

#include "arch/types.h"

/* `base`: address of the part, already clocked and set to a rate by a boot loader or emulator. */
void uart_init(uintptr_t base);

/* Waits for room, then sends one byte. */
void uart_putc(char c);

/* Waits until every byte has left the part. */
void uart_flush(void);
