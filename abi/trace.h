/* SPDX-License-Identifier: Apache-2.0 */
/* The trace ring's record: what happened at EL2, when. 24 bytes, the same on both isas. */
#pragma once

#include <stdint.h>

struct trace_rec {
	uint64_t ticks;          /* CNTPCT at the exit */
	uint32_t duration_ticks; /* until the return to the guest was prepared */
	uint16_t kind;           /* enum exit_kind */
	uint16_t vm;             /* VMID */
	/* INTID for irq, function id for hvc, IPA for mmio and faults, else the syndrome */
	uint64_t arg;
};
