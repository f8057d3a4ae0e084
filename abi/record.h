/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records: one JSON object a line on the console. docs/reference/records.md has every member and
 * docs/records.schema.json is the schema the host tool validates against.
 *
 * The hypervisor frames every record:  {"seq":N,"kind":"K", ... ,"crc":"XXXXXXXX"}
 *   seq  counts from 0 in the order of the console, over hypervisor and guest together;
 *   crc  is the CRC-32 (IEEE 802.3, as zlib's) in 8 lower-case hex digits over the bytes of the
 *        line from its '{' up to, not including, the ',' before "crc".
 * A record of a plan step also carries step, pass, config, bench and vm, and where a vCPU made it
 * vcpu, written by the hypervisor, so that a guest cannot speak in the name of another step or VM.
 * A guest gives only the members after those: printable ASCII, the first byte a '"'.
 */
#pragma once

/* X(NAME, "kind", may_guest): may_guest = 1 where a guest may emit it by HC_RECORD. */
#define RECORD_KINDS(X)                                                                            \
	X(RUN, "run", 0)                 /* the first: machine, build, clock, plan */              \
	X(CALIBRATION, "calibration", 1) /* the cost of an empty counter pair in this step */      \
	X(BENCH, "bench", 1)             /* statistics and histogram of one variant */             \
	X(SKIP, "skip", 1)   /* a benchmark without meaning in this configuration, and why */      \
	X(CHECK, "check", 1) /* a count or an observation, no time: a test's evidence */           \
	X(EXITS, "exits", 0) /* one exit kind's statistics, when `stats=on` */                     \
	X(TRACE, "trace", 0) /* one event of the trace ring, when `trace=on` */                    \
	X(FAULT, "fault", 0) /* EL2 stopped a guest: reason, syndrome, addresses */                \
	X(ERROR, "error", 1) /* a failure of the run or the step: what and where */                \
	X(VM, "vm", 0)       /* of several VMs, or with events: how one ended, and what it used */ \
	X(STEP, "step", 0)   /* a plan step ended: how, and after how many ticks */                \
	X(END, "end", 0)     /* the last: how many records, faults and errors */

#define RECORD_KIND(NAME, text, may_guest) RECORD_##NAME,
enum record_kind { RECORD_KINDS(RECORD_KIND) RECORD_KIND_COUNT };
