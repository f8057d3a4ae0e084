/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe's lines: one JSON object each, with number and CRC as in records (docs/records.md).
 * Their first member has another name, so that they are not taken for records of a hypervisor on
 * the same console. docs/design/probe.md describes the lines.
 */
#pragma once

#include "arch/types.h"

/* `start` switches the UART on. An SBSA UART has no register for that. */
void output_init(uintptr_t console, bool start);

/* Add the member `vm` to each later line: two VMs may share a console. */
void output_name(const char *vm);

void output_begin(const char *kind);
void output_u64(const char *name, uint64_t value);
void output_hex(const char *name, uint64_t value);
void output_string(const char *name, const char *value);

/*
 * Write a list of numbers: output_numbers(), then output_number() for each, then
 * output_numbers_end().
 */
void output_numbers(const char *name);
void output_number(uint32_t value);
void output_numbers_end(void);
void output_end(void);
