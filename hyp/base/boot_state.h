/* SPDX-License-Identifier: Apache-2.0 */
/* How a core came here: what start.S found before it changed anything, for the run record. */
#pragma once

/* Levels, in ARMv8 terms. */
#define ENTRY_ABSENT 0     /* a core that did not come */
#define ENTRY_EL1 1        /* ARMv7: a mode that is neither of the others, Non-secure or unknown */
#define ENTRY_EL2 2        /* ARMv7: HYP mode */
#define ENTRY_EL3 3        /* ARMv7: monitor mode */
#define ENTRY_SECURE_SVC 4 /* ARMv7: another mode, in Secure state */

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

/* Registers of EL2 are 0 where it was entered elsewhere; ARMv7's sctlr is then SCTLR. */
struct boot_state {
	uint64_t ticks; /* CNTPCT at the first instruction */
	uint64_t dtb;   /* address of the device tree, as x0 or r2 gave it */
	uint64_t level;
	uint64_t sctlr; /* SCTLR_EL2, HSCTLR */
	uint64_t hcr;
	uint64_t psr; /* DAIF (and nothing else), CPSR */
};

_Static_assert(offsetof(struct boot_state, ticks) == BOOT_TICKS, "start.S knows it");
_Static_assert(offsetof(struct boot_state, dtb) == BOOT_DTB, "start.S knows it");
_Static_assert(offsetof(struct boot_state, level) == BOOT_LEVEL, "start.S knows it");
_Static_assert(offsetof(struct boot_state, sctlr) == BOOT_SCTLR, "start.S knows it");
_Static_assert(offsetof(struct boot_state, hcr) == BOOT_HCR, "start.S knows it");
_Static_assert(offsetof(struct boot_state, psr) == BOOT_PSR, "start.S knows it");

extern struct boot_state boot_state;

/* A level as records and messages have it: "el2", "secure-svc" … */
const char *entry_word(uint64_t level);
#endif
