/* SPDX-License-Identifier: Apache-2.0 */
/* An unmodified guest on a core with every feature that QEMU models. Accesses to features that are
 * newer than the guest's machine must be undefined (test_debug.py). The guest prints a line:
 * "well", or the letter of an access that is not undefined. */
#include <stdbool.h>
#include <stdint.h>

#include "vcpus.h"

#define EC_UNKNOWN 0u

static volatile uint64_t syndrome;

/* Store ESR_EL1 and go on after the instruction. */
__asm__(".balign 0x800\n"
	"vectors:\n"
	".org vectors + 0x200\n"
	"	stp	x0, x1, [sp, #-16]!\n"
	"	mrs	x0, esr_el1\n"
	"	adrp	x1, syndrome\n"
	"	str	x0, [x1, :lo12:syndrome]\n"
	"	mrs	x0, elr_el1\n"
	"	add	x0, x0, #4\n"
	"	msr	elr_el1, x0\n"
	"	ldp	x0, x1, [sp], #16\n"
	"	eret\n"
	".org vectors + 0x800\n");

/* Execute an instruction and yield whether it is undefined. */
#define UNDEFINED(instruction)                                                                     \
	({                                                                                         \
		syndrome = ~0ull;                                                                  \
		__asm__ volatile(instruction ::: "x0", "memory");                                  \
		syndrome >> 26 == EC_UNKNOWN;                                                      \
	})

static char first_that_is_not(void)
{
	const bool undefined[] = {
		UNDEFINED("mrs x0, s3_0_c10_c4_0"),  /* A: LORSA_EL1 */
		UNDEFINED("msr s3_0_c10_c4_3, xzr"), /* B: LORC_EL1 */
		UNDEFINED("mrs x0, s3_0_c5_c3_0"),   /* C: ERRIDR_EL1 */
		UNDEFINED("msr s3_0_c5_c3_1, xzr"),  /* D: ERRSELR_EL1 */
		UNDEFINED("msr s3_0_c2_c1_0, xzr"),  /* E: APIAKeyLo_EL1 */
		UNDEFINED("msr s3_0_c13_c0_7, xzr"), /* F: SCXTNUM_EL1 */
		UNDEFINED("msr s3_0_c1_c0_6, xzr"),  /* G: GCR_EL1 */
		UNDEFINED("msr s3_0_c1_c2_0, xzr"),  /* H: ZCR_EL1 */
		UNDEFINED("msr s3_0_c1_c2_6, xzr"),  /* I: SMCR_EL1 */
		UNDEFINED("msr s3_3_c13_c0_5, xzr"), /* J: TPIDR2_EL0 */
		UNDEFINED(".inst 0x0420e3e0"),       /* K: cntb x0, SVE */
		UNDEFINED(".inst 0xd503477f"),       /* L: smstart, SME */
		UNDEFINED(".inst 0x9ac03000"),       /* M: pacga x0, x0, x0 */
	};

	for (unsigned i = 0; i < sizeof(undefined) / sizeof(undefined[0]); i++)
		if (!undefined[i])
			return (char)('A' + i);
	return 0;
}

void first_main(void)
{
	extern const char vectors[];
	char found;

	/* FP usable, so that SVE and SME would be, too */
	__asm__ volatile("msr vbar_el1, %0\n\tmsr cpacr_el1, %1\n\tisb" ::"r"(vectors),
			 "r"(3ull << 16 | 3ull << 20 | 3ull << 24));
	found = first_that_is_not();
	print(found ? (char[]){ found, '\n', 0 } : "well\n");
	psci(SYSTEM_OFF, 0, 0, 0);
}
