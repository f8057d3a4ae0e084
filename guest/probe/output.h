/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe's lines: one JSON object each, numbered and with a CRC as records have it
 * (docs/records.md), but under another first name, so that they are no records of a hypervisor that
 * shares the console. docs/design/probe.md describes them.
 */
#pragma once

#include "arch/types.h"

/* With `start` the part is switched on; an SBSA UART has no register for that. */
void output_init(uintptr_t console, bool start);

/* From now on each line has this member `vm`: two VMs may share a console. */
void output_name(const char *vm);

void output_begin(const char *kind);
void output_u64(const char *name, uint64_t value);
void output_hex(const char *name, uint64_t value);
void output_string(const char *name, const char *value);

/* A list of numbers: output_numbers(), then output_number() for each, then output_numbers_end(). */
void output_numbers(const char *name);
void output_number(uint32_t value);
void output_numbers_end(void);
void output_end(void);
