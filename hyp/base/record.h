/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records on the console (abi/record.h, docs/records.md). A record is streamed as it is made:
 * open, members, close; nothing of it is buffered.
 */
#pragma once

#include "abi/record.h"
#include "arch/types.h"

/* Members `step` to `vm` of every record until the next call; NULL: outside a step. */
struct record_step {
	uint32_t step;
	uint32_t pass;
	const char *config;
	const char *bench;
	const char *vm; /* the measured one */
};
void record_in_step(const struct record_step *step);

/* While guests run, several cores have records to emit: the lines of one holder stay together. */
void record_lock(void);
void record_unlock(void);

void record_open(enum record_kind kind);
/* The same for what a vCPU made: members `vm`, by the VM's name, and `vcpu`, by its index. */
void record_open_vcpu(enum record_kind kind, const char *vm, unsigned vcpu);
void record_u64(const char *name, uint64_t value);
void record_hex(const char *name, uint64_t value); /* as a string "0x…" */
void record_string(const char *name, const char *value);
void record_raw(const char *bytes, size_t count); /* JSON text, as it is */
void record_close(void);

/* A record from a vCPU: members in JSON, as abi/record.h demands; false, and nothing emitted, when
 * the kind is not a guest's or the body is not printable ASCII that begins with '"'. */
bool record_from_guest(unsigned kind, const char *vm, unsigned vcpu, const char *body, size_t size);

/* An `error` record: what could not be done, and where. */
void record_error(const char *where, const char *what);

/* What the `end` record says of the core's clock, in Hz; 0: nothing. */
void record_cpu_hz_at_end(uint64_t hz);

/* The `end` record, with the counts of all that went before. Returns, and says in it, whether
 * nothing failed: no step (steps_ok), no fault, no error. */
bool record_end(bool steps_ok);
