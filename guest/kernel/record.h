/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the guest, written by HC_RECORD (docs/reference/records.md). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "abi/guest_run.h"
#include "abi/record.h"

/* An integer member of a record. */
struct member {
	const char *name;
	int64_t value;
};

/* Call this function before all others of this header: the record buffer lies beside `run`. */
void record_init(const struct guest_run *run);

/* Begin a record, add its members in order, then emit it. If the hypervisor refuses the record,
 * record_emit() ends the step as crashed. */
void record_begin(void);
void record_emit(enum record_kind kind);

void member_integer(const char *name, int64_t value);
void member_milli(const char *name, int64_t value); /* `value` counts thousandths */
void member_string(const char *name, const char *value);
void member_bool(const char *name, bool value);
void member_list(const struct member *members, unsigned count);
void member_clock(void); /* members for the unit, the clock and its frequency in Hz */
void member_histogram(const char *name, const uint32_t *count);

/* Begin the next element of the list `events`. Its members follow. */
void member_event_begin(const char *event, bool first);
void member_events_end(void);
