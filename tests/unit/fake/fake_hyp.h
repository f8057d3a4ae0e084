/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for the parts of the hypervisor around the one under test: hyp/arch's cpu.h, vm.c's
 * fault, the console and a board. What they are asked is noted, what they answer a test says. */
#pragma once

#include "abi/exit_kind.h"
#include "tests/unit/fake/fake.h"

#define FAKE_GUEST_BASE 0x20000000u /* where fake_pages() begins */
#define FAKE_HYP_TIMER 26u
#define FAKE_SPI_FIRST 96u /* physical SPIs of the guest's */
#define FAKE_SPI_COUNT 8u
#define FAKE_CONSOLE_SIZE 262144u
#define FAKE_CONSOLE_INTID 33u

struct vm;

struct fake_hyp {
	/* answers */
	unsigned level;                          /* cpu_level() */
	unsigned pa_bits;                        /* cpu_pa_bits() */
	bool coherency_refused, counter_refused; /* the board's functions fail */
	bool counter_starts;                     /* counter_start() lets the counter run */
	bool condition_failed;
	uint64_t fault_ipa;
	const char *typed; /* what the console has received */
	/* the FP registers */
	uint64_t fp_value;
	/* notes */
	unsigned skipped; /* instructions */
	unsigned vectors; /* times that a vector table was chosen */
	unsigned faults;
	enum fault_reason reason; /* and the rest: of the last fault */
	uint32_t esr;
	uint64_t va, ipa;
	unsigned aborts;        /* injected */
	struct vm *failed_over; /* where fake_vm_core.c is: the last one */
	bool listening;         /* to the console */
	bool line_open;         /* by a guest */
	size_t console_size;
	size_t queued;      /* text of guests that waits */
	void (*sent)(void); /* called after a part of it is sent, for another core */
	char queue[2048];
	char console[FAKE_CONSOLE_SIZE]; /* a string */
};
extern struct fake_hyp fake_hyp;

/* CPTR_EL2 says so. */
bool fake_fp_trapped(void);

/* fake_reset(), and here: level 2, 40 bits, nothing noted. */
void fake_hyp_reset(void);
