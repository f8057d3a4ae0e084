/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An unmodified guest that probes an address without memory or device, by load, store, fetch and
 * stage-1 walk, at EL1 and at EL0, and checks the exception that it takes. An error stops the VM
 * with the source line. Defines: the expected syndromes SYNDROME, of a load; FETCH; WALK; on ARMv7
 * DFSR and IFSR in the long format.
 */
#include <stdbool.h>

#include "arch/barrier.h"
#include "arch/mmio.h"
#include "taken.h"
#include "vcpus.h"
#include "wrong.h"

#define NOWHERE 0x0b000000u
#define TABLE 0x41000000u
#define MAIR 0x44 /* Normal, not cached */
#define FLAGS 0xa0000000u

static void expect(bool right, uint32_t line)
{
	if (!right)
		stop_with(line);
}

/* `state` is the state of the handler. */
static void expect_taken(const struct taken *wanted, uint32_t line)
{
	expect(taken.vector == wanted->vector, line);
	expect(taken.syndrome == wanted->syndrome, line);
	expect(taken.far == wanted->far, line);
	expect(taken.pc == wanted->pc, line);
	expect(taken.psr == wanted->psr, line);
	expect(taken.state == wanted->state, line);
}

#ifdef __aarch64__
#define HIGH 0xffffffff80000000 /* an address that TTBR1 translates */
#define WNR (1u << 6)
#define FROM_EL0(syndrome) ((syndrome) - (1u << 26)) /* the class of EL0 is EL1's minus one */
#define EL1H_PSR (FLAGS | 5)
#define EL1T_PSR (FLAGS | 4)
#define EL1T 0x000 /* vectors */
#define EL0_32 0x600
#define MASKED 0x3c0

CODE(load, "ldr w5, [x0]\nb .");
CODE(load_byte, "ldrb w5, [x0, #3]\nb .");
CODE(load_pair, "ldp x5, x6, [x0], #16\nb .");
CODE(store, "str x5, [x0, #8]\nb .");
CODE(store_word, "str w5, [x0, #4]\nb .");
CODE(store_pair, "stp w5, w6, [x0]\nb .");
CODE(load_arm, ".word 0xe5905000, 0xeafffffe"); /* ldr r5, [r0]; b . */
CODE(load_thumb, ".hword 0x6845, 0xe7fe");      /* ldr r5, [r0, #4]; b . */

static void aborts(uintptr_t pc, uintptr_t psr, uintptr_t vector, uint32_t syndrome, uintptr_t at,
		   uintptr_t far, uint32_t line)
{
	const struct taken wanted = { syndrome, far, pc, psr, vector, STATE(MASKED) };

	run_at(pc, psr, at);
	expect_taken(&wanted, line);
}

#define ABORTS(code, psr, vector, syndrome, at, offset)                                            \
	aborts((uintptr_t)(code), psr, vector, syndrome, at, (at) + (offset), __LINE__)

static void accesses(void)
{
	ABORTS(load, EL1H_PSR, EL1H, SYNDROME, NOWHERE, 0);
	ABORTS(load_byte, EL1H_PSR, EL1H, SYNDROME, NOWHERE, 3);
	ABORTS(load_pair, EL1H_PSR, EL1H, SYNDROME, NOWHERE, 0);
	ABORTS(store, EL1H_PSR, EL1H, SYNDROME | WNR, NOWHERE, 8);
	ABORTS(store_pair, EL1H_PSR, EL1H, SYNDROME | WNR, NOWHERE, 0);
	ABORTS(load, EL1T_PSR, EL1T, SYNDROME, NOWHERE, 0);
	ABORTS(NOWHERE, 5, EL1H, FETCH, NOWHERE, 0);
	__asm__ volatile("dc civac, %0\n\tic ivau, %0" ::"r"((uintptr_t)NOWHERE)); /* no effect */
	ABORTS(load, 0, EL0, FROM_EL0(SYNDROME), NOWHERE, 0);
	ABORTS(store_word, 0, EL0, FROM_EL0(SYNDROME | WNR), NOWHERE, 4);
	ABORTS(load_arm, 0x10, EL0_32, FROM_EL0(SYNDROME), NOWHERE, 0);
	ABORTS(load_thumb, 0x30, EL0_32, FROM_EL0(SYNDROME), NOWHERE, 4);
	ABORTS(NOWHERE, 0, EL0, FROM_EL0(FETCH), NOWHERE, 0);
}

/* TTBR0 maps RAM flat, and TTBR1 leads to an address without memory. */
static void walks(void)
{
	uintptr_t sctlr;

	mmio_write64(TABLE, 0x401); /* a block: AF */
	mmio_write64(TABLE + 8, 0x40000401);
	__asm__ volatile("msr ttbr0_el1, %1\n\t"
			 "msr ttbr1_el1, %2\n\t"
			 "msr mair_el1, %3\n\t"
			 "msr tcr_el1, %4\n\t"
			 "isb\n\t"
			 "mrs %0, sctlr_el1\n\t"
			 "orr %0, %0, #1\n\t"
			 "msr sctlr_el1, %0\n\t"
			 "isb"
			 : "=&r"(sctlr)
			 : "r"((uintptr_t)TABLE), "r"((uintptr_t)NOWHERE), "r"((uintptr_t)MAIR),
			   "r"(32ull | 25ull << 16 | 2ull << 30) /* TG1: 4 KiB */
			 : "memory");
	ABORTS(load, EL1H_PSR, EL1H, WALK, HIGH, 0);
	ABORTS(store, EL1H_PSR, EL1H, WALK | WNR, HIGH, 8);
}
#else
#define HIGH 0x80000000u /* an address that TTBR1 translates */
#define WNR (1u << 11)
#define SHORT_SYNDROME 0x008 /* the short format has fixed syndromes */
#define SHORT_WALK 0x00c
#define SVC (FLAGS | 0xd3)
#define USR (FLAGS | 0xd0)
#define ABT 0x1d7 /* with A masked, too */
#define THUMB 0x20
#define IT_EQ (0x40000000u | 0x800) /* Z, and the state of the only instruction of an IT block */
#define BIG 0x200
#define EAE (1u << 31)

CODE(load, "ldr r3, [r0]\nb .");
CODE(load_byte, "ldrb r3, [r0, #3]\nb .");
CODE(load_pair, "ldmia r0!, {r3, r4}\nb .");
CODE(store, "str r3, [r0, #4]\nb .");
CODE(store_word, "str r3, [r0]\nb .");
CODE(load_thumb, ".hword 0xbf08, 0x6803, 0xe7fe"); /* it eq; ldreq r3, [r0]; b . */

static uint32_t handler_psr = ABT; /* except the flags, which stay */

static void aborts(uintptr_t pc, uintptr_t psr, uintptr_t vector, uint32_t syndrome, uintptr_t at,
		   uintptr_t far, uint32_t line)
{
	uintptr_t link = pc + (vector == DATA_ABORT ? 8 : 4);
	const struct taken wanted = { syndrome, far,    link,
				      psr,      vector, (psr & 0xf0000000) | handler_psr };

	run_at(pc, psr, at);
	expect_taken(&wanted, line);
}

#define ABORTS(code, psr, syndrome, at, offset)                                                    \
	aborts((uintptr_t)(code), psr, DATA_ABORT, syndrome, at, (at) + (offset), __LINE__)
#define FETCH_ABORTS(psr, syndrome)                                                                \
	aborts(NOWHERE, psr, PREFETCH_ABORT, syndrome, NOWHERE, NOWHERE, __LINE__)
#define PUT(name, value) __asm__ volatile("mcr " name "\n\tisb" ::"r"(value) : "memory")
#define TTBCR "p15, 0, %0, c2, c0, 2"

static void change_sctlr(uint32_t clear, uint32_t set)
{
	uint32_t sctlr;

	__asm__ volatile("mrc p15, 0, %0, c1, c0, 0" : "=r"(sctlr));
	PUT("p15, 0, %0, c1, c0, 0", (sctlr & ~clear) | set);
}

static void in_thumb_state(void)
{
	const struct taken wanted = {
		SYNDROME,   NOWHERE,          (uintptr_t)load_thumb + 2 + 8, IT_EQ | 0xd3 | THUMB,
		DATA_ABORT, 0x40000000u | ABT
	};

	run_at((uintptr_t)load_thumb, 0x400000d3u | THUMB, NOWHERE);
	expect_taken(&wanted, __LINE__); /* no IT state is left */
}

static void accesses(void)
{
	ABORTS(load, SVC, SHORT_SYNDROME, NOWHERE, 0);
	ABORTS(load_byte, SVC, SHORT_SYNDROME, NOWHERE, 3);
	ABORTS(load_pair, SVC, SHORT_SYNDROME, NOWHERE, 0);
	ABORTS(store, SVC, SHORT_SYNDROME | WNR, NOWHERE, 4);
	ABORTS(store_word, USR, SHORT_SYNDROME | WNR, NOWHERE, 0);
	FETCH_ABORTS(SVC, SHORT_SYNDROME);
	FETCH_ABORTS(USR, SHORT_SYNDROME);
	__asm__ volatile("mcr p15, 0, %0, c7, c14, 1" ::"r"(NOWHERE)); /* DCCIMVAC: no effect */
	PUT(TTBCR, EAE);
	ABORTS(load, SVC, SYNDROME, NOWHERE, 0);
	ABORTS(store_word, USR, SYNDROME | WNR, NOWHERE, 0);
	FETCH_ABORTS(SVC, FETCH);
	change_sctlr(0, 1 << 25); /* EE */
	handler_psr = ABT | BIG;
	ABORTS(load, SVC, SYNDROME, NOWHERE, 0);
	change_sctlr(1 << 25, 0);
	handler_psr = ABT;
	in_thumb_state();
}

/* TTBR0 maps RAM flat, and TTBR1 leads to an address without memory. */
static void long_walks(void)
{
	mmio_write32(TABLE, 0x401); /* blocks: AF */
	mmio_write32(TABLE + 4, 0);
	mmio_write32(TABLE + 8, 0x40000401);
	mmio_write32(TABLE + 12, 0);
	__asm__ volatile("mcrr p15, 0, %0, %2, c2\n\tmcrr p15, 1, %1, %2, c2" ::"r"(TABLE),
			 "r"(NOWHERE), "r"(0));
	PUT("p15, 0, %0, c10, c2, 0", MAIR);
	PUT(TTBCR, EAE | 1 << 16 | 1);
	change_sctlr(0, 1);
	ABORTS(load, SVC, WALK, HIGH, 0);
	ABORTS(store_word, SVC, WALK | WNR, HIGH, 0);
	change_sctlr(1, 0);
}

static void walks(void)
{
	long_walks();
	for (uint32_t at = 0; at < HIGH; at += 1 << 20)
		mmio_write32(TABLE + (at >> 18), at | 0xc02); /* sections */
	PUT(TTBCR, 1);
	PUT("p15, 0, %0, c2, c0, 0", TABLE);
	PUT("p15, 0, %0, c2, c0, 1", NOWHERE);
	PUT("p15, 0, %0, c3, c0, 0", 3); /* DACR */
	PUT("p15, 0, %0, c8, c7, 0", 0); /* TLBIALL */
	change_sctlr(0, 1);
	ABORTS(load, SVC, SHORT_WALK, HIGH, 0);
}
#endif

void first_main(void)
{
	accesses();
	walks();
	print("as it should be\n");
	psci(SYSTEM_OFF, 0, 0, 0);
}
