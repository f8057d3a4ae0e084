/* SPDX-License-Identifier: Apache-2.0 */
/* The state in which a core entered the image, read by start.S for the run record. */
#pragma once

/* Levels, in ARMv8 terms. */
#define ENTRY_ABSENT 0     /* the core did not report */
#define ENTRY_EL1 1        /* ARMv7: any other mode, Non-secure or unknown */
#define ENTRY_EL2 2        /* ARMv7: HYP mode */
#define ENTRY_EL3 3        /* ARMv7: monitor mode */
#define ENTRY_SECURE_SVC 4 /* ARMv7: any other mode, Secure */

/* Offsets in struct boot_state, for start.S. */
#define BOOT_TICKS 0
#define BOOT_DTB 8
#define BOOT_LEVEL 16
#define BOOT_SCTLR 24
#define BOOT_HCR 32
#define BOOT_PSR 40

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

/* At another level than EL2 the registers of EL2 are 0; ARMv7's sctlr is then SCTLR. */
struct boot_state {
	uint64_t ticks; /* CNTPCT at the first instruction */
	uint64_t dtb;   /* address of the device tree, from x0 or r2 */
	uint64_t level;
	uint64_t sctlr; /* SCTLR_EL2, HSCTLR */
	uint64_t hcr;
	uint64_t psr; /* DAIF (and nothing else), CPSR */
};

#define BOOT_AT(field, offset) (offsetof(struct boot_state, field) == (offset))
_Static_assert(BOOT_AT(ticks, BOOT_TICKS) && BOOT_AT(dtb, BOOT_DTB) && BOOT_AT(level, BOOT_LEVEL) &&
		       BOOT_AT(sctlr, BOOT_SCTLR) && BOOT_AT(hcr, BOOT_HCR) &&
		       BOOT_AT(psr, BOOT_PSR),
	       "start.S has these offsets");

extern struct boot_state boot_state;

/* The word for a level in records and messages: "el2", "secure-svc" … */
const char *entry_word(uint64_t level);
#endif
