/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for the parts of the hypervisor around the part under test: hyp/arch's cpu.h, vm.c's
 * fault, the console and a board. They record calls, and give the answers that a test sets. */
#pragma once

#include "abi/exit_kind.h"
#include "tests/unit/fake/fake.h"

#define FAKE_GUEST_BASE 0x20000000u /* where fake_pages() begins */
#define FAKE_HYP_TIMER 26u
#define FAKE_SPI_FIRST 96u /* first physical SPI of the guest */
#define FAKE_SPI_COUNT 8u
#define FAKE_CONSOLE_SIZE 262144u
#define FAKE_CONSOLE_INTID 33u

struct vm;

struct fake_hyp {
	/* answers, set by a test */
	unsigned level;                          /* cpu_level() */
	unsigned pa_bits;                        /* cpu_pa_bits() */
	bool coherency_refused, counter_refused; /* the board's functions fail */
	bool counter_starts;                     /* counter_start() lets the counter run */
	bool condition_failed;
	uint64_t fault_ipa;
	const char *typed; /* what the console has received */
	/* the FP registers */
	uint64_t fp_value;
	/* records of calls */
	unsigned skipped; /* number of skipped instructions */
	unsigned vectors; /* number of times that a vector table was chosen */
	unsigned faults;
	enum fault_reason reason; /* this and the next three: of the last fault */
	uint32_t esr;
	uint64_t va, ipa;
	unsigned aborts;        /* number of injected aborts */
	struct vm *failed_over; /* the last VM, if fake_vm_core.c is linked */
	bool listening;         /* the hypervisor listens to the console */
	bool line_open;         /* a guest has not ended its line */
	size_t console_size;
	size_t queued;      /* bytes of guests' text that wait */
	void (*sent)(void); /* called after a part is sent, to act as another core */
	char queue[2048];
	char console[FAKE_CONSOLE_SIZE]; /* all output as a string */
};
extern struct fake_hyp fake_hyp;

/* Return true if CPTR_EL2 traps the FP registers. */
bool fake_fp_trapped(void);

/* Call fake_reset() and reset the stand-ins: level 2, 40 bits, no records. */
void fake_hyp_reset(void);
