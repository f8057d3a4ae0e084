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

/* Set the members `step` to `vm` of every record until the next call. NULL: outside a step. */
void record_in_step(const struct record_step *step);

/*
 * Lock the console: several cores emit records while guests run, and the lines of one holder stay
 * together.
 */
void record_lock(void);
bool record_try_lock(void); /* return whether the caller has the lock; do not wait */
void record_unlock(void);

void record_open(enum record_kind kind);
/* Open a record of a vCPU, with the members `vm`, a name, and `vcpu`, an index. */
void record_open_vcpu(enum record_kind kind, const char *vm, unsigned vcpu);
void record_u64(const char *name, uint64_t value);
void record_hex(const char *name, uint64_t value); /* as a string "0x…" */
void record_string(const char *name, const char *value);
void record_strings(const char *name, const char *const values[], unsigned value_count);
void record_raw(const char *bytes, size_t count); /* JSON text, unchanged */
void record_close(void);

/* Return whether a body, or a part of one, is printable ASCII. */
bool record_is_text(const char *body, size_t size);

/* Return whether a guest may send records of this kind. */
bool record_may_guest(unsigned kind);

/* A guest's record is printed in pieces of at most RECORD_PIECE bytes, without the lock between two
 * pieces: its head, its body, its end. Every other record, and text of guests, calls record_cut()
 * first: the line ends with RECORD_CUT and is no record (tools/hypbench/records.py), its number is
 * free again, and the record has to begin anew. The caller holds the lock. */
#define RECORD_PIECE 32u
#define RECORD_CUT " <cut>"

bool record_in_pieces(void); /* a record is open in pieces */

/* Print a piece of the queued text, or of the record's head: the members up to `vcpu`, and a comma.
 * Return false, with nothing done, if all of this is printed. */
bool record_head_piece(enum record_kind kind, const char *vm, unsigned vcpu);
void record_piece(const char *text, size_t size); /* at most RECORD_PIECE bytes, no '\n' */
void record_end_pieces(void);
void record_cut(void);

/* Emit an `error` record: what failed, and where. */
void record_error(const char *where, const char *what);

/* Emit the `end` record, with the counts of all records before. Return, and record as `status`,
 * whether nothing failed: no step (steps_ok), no fault, no error. `cpu_hz` is a member; 0 leaves it
 * out. */
bool record_end(bool steps_ok, uint64_t cpu_hz);

/* The run is impossible: emit an error record and the `end` record, then end the run. */
_Noreturn void record_give_up(const char *where, const char *what);
