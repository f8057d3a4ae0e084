/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records on the console (abi/record.h, docs/records.md). A record is streamed: open, members,
 * close. No buffer holds a whole record.
 */
#pragma once

#include "abi/record.h"
#include "arch/types.h"

struct record_step {
	uint32_t step;
	uint32_t pass;
	const char *config;
	const char *bench;
	const char *vm; /* the measured VM */
};

/* Sets the members `step` to `vm` of every record until the next call; NULL: outside a step. */
void record_in_step(const struct record_step *step);

/* While guests run, several cores emit records: the lines of one holder stay together. */
void record_lock(void);
void record_unlock(void);

void record_open(enum record_kind kind);
/* The same for a record of a vCPU, with the members `vm`, a name, and `vcpu`, an index. */
void record_open_vcpu(enum record_kind kind, const char *vm, unsigned vcpu);
void record_u64(const char *name, uint64_t value);
void record_hex(const char *name, uint64_t value); /* as a string "0x…" */
void record_string(const char *name, const char *value);
void record_strings(const char *name, const char *const values[], unsigned value_count);
void record_raw(const char *bytes, size_t count); /* JSON text, unchanged */
void record_close(void);

/* Whether a body, or a part of one, is printable ASCII. */
bool record_is_text(const char *body, size_t size);

/* Locks, and opens a record of a vCPU whose body, of `size` bytes, a guest sends. False, and
 * nothing done, when a guest may not send the kind, or the body does not begin with '"'. */
bool record_open_guests(unsigned kind, const char *vm, unsigned vcpu, const char *body,
			size_t size);

/* A part of that body. Each byte is read once: a vCPU that changes what was checked as text while
 * another one's hypercall sends it changes no line but its own. */
void record_guests(const char *bytes, size_t size);

/* Emits a record of a vCPU: `body` has its members in JSON (abi/record.h). False, and nothing
 * emitted, for a body that is no text or that record_open_guests() refuses. */
bool record_from_guest(unsigned kind, const char *vm, unsigned vcpu, const char *body, size_t size);

/* An `error` record: what could not be done, and where. */
void record_error(const char *where, const char *what);

/* Emits the `end` record, with the counts of all records before. Returns, and records as `status`,
 * whether nothing failed: no step (steps_ok), no fault, no error. `cpu_hz`: a member; 0: none. */
bool record_end(bool steps_ok, uint64_t cpu_hz);

/* The run is impossible: an error and the end, of records and of the run. */
_Noreturn void record_give_up(const char *where, const char *what);
