/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records: one JSON object a line on the console. docs/reference/records.md has every member, and
 * docs/records.schema.json is the schema that the host tool validates against.
 *
 * The hypervisor frames every record:  {"seq":N,"kind":"K", ... ,"crc":"XXXXXXXX"}
 *   seq  counts from 0 in the order of the console, over hypervisor and guest together
 *   crc  is the CRC-32 (IEEE 802.3, as zlib's) in 8 lower-case hex digits over the bytes of the
 *        line from its '{' up to, but without, the ',' before "crc"
 * The hypervisor also writes step, pass, config, bench and vm into a record of a step, and vcpu if
 * a vCPU emitted it, so that a guest cannot forge a record of another step or VM. A guest supplies
 * only the members after these: printable ASCII that begins with a '"'.
 */
#pragma once

/* X(NAME, "kind", may_guest): may_guest is 1 if a guest may emit the kind by HC_RECORD. */
#define RECORD_KINDS(X)                                                                            \
	X(RUN, "run", 0)                 /* the first record: machine, build, clock, scenario */   \
	X(CALIBRATION, "calibration", 1) /* the cost of an empty counter pair in this step */      \
	X(BENCH, "bench", 1)             /* statistics and histogram of one variant */             \
	X(SKIP, "skip", 1)               /* a benchmark that means nothing here, and why */        \
	X(CHECK, "check", 1)             /* a count or an observation without a time */            \
	X(EXITS, "exits", 0)             /* one exit kind's statistics, when `stats=on` */         \
	X(TRACE, "trace", 0)             /* one event of the trace ring, when `trace=on` */        \
	X(FAULT, "fault", 0)             /* EL2 stopped a guest: reason, syndrome, addresses */    \
	X(ERROR, "error", 1)             /* a failure of the run or the step: what and where */    \
	X(VM, "vm", 0)                   /* with several VMs or events: the end of one VM */       \
	X(STEP, "step", 0)               /* the end of a step: how, and after how many ticks */    \
	X(END, "end", 0)                 /* the last record: number of records, faults and errors */

#define RECORD_KIND(NAME, text, may_guest) RECORD_##NAME,
enum record_kind { RECORD_KINDS(RECORD_KIND) RECORD_KIND_COUNT };
