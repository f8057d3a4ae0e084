/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a core when it entered the image, read by start.S for the run record. */
#pragma once

/* Exception levels, in ARMv8 terms. */
#define ENTRY_ABSENT 0     /* the core did not report */
#define ENTRY_EL1 1        /* ARMv7: any other mode, Non-secure or unknown */
#define ENTRY_EL2 2        /* ARMv7: HYP mode */
#define ENTRY_EL3 3        /* ARMv7: monitor mode */
#define ENTRY_SECURE_SVC 4 /* ARMv7: any other mode, Secure */

#ifndef __ASSEMBLER__
#include "arch/types.h"

/* The members have the order of start.S's registers. If the core did not enter at EL2, the
 * registers of EL2 are 0, and ARMv7's sctlr is SCTLR. */
struct boot_state {
	uint64_t ticks; /* CNTPCT at the first instruction */
	reg_t psr;      /* DAIF (and nothing else), CPSR */
	reg_t level;
	reg_t sctlr; /* SCTLR_EL2, HSCTLR */
	reg_t hcr;
};

extern struct boot_state boot_state;

/* Return the word for a level in records and messages: "el2", "secure-svc" … */
const char *entry_word(uint64_t level);
#endif
