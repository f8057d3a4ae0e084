/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that loads from and stores to every 2 MiB of the IPA space, and every page of REGIONS
 * (a list of { start, end }), and reports by its UART what answered. An access to nothing is an
 * external abort, as on bare hardware; any other abort is reported as wrong. Starts like hostile.c.
 */
#include <stdbool.h>
#include <stdint.h>

#include "guest_text.h"
#include "wrong.h"

#define BLOCK 0x200000u
#define GIB 0x40000000ull
#define LAST_WORD 0xffcu /* of a page: of a device, a register that does nothing */
#define SYSTEM_OFF 0x84000008u

uintptr_t psci_hvc(uintptr_t id, uintptr_t a1, uintptr_t a2, uintptr_t a3);
void first_main(void);
void second_main(uint32_t vcpu);
void interrupt(bool fast);
void finished(void);

#ifdef __aarch64__
#define EXTERNAL 0x10u /* ESR.DFSC: synchronous external abort, not of a walk */
#define HIGHEST (1ull << 44)

static void forget_abort(void)
{
	__asm__ volatile("msr esr_el1, xzr\n\tisb" ::: "memory");
}

/* ESR.DFSC of the last data abort, 0: none. */
static uint32_t abort_status(void)
{
	uint64_t esr;

	__asm__ volatile("isb\n\tmrs %0, esr_el1" : "=r"(esr)::"memory");
	return esr & 0x3f;
}
#else
#define EXTERNAL 0x08u /* DFSR, short descriptors: FS 01000 */
#define HIGHEST (4 * GIB)

static void forget_abort(void)
{
	__asm__ volatile("mcr p15, 0, %0, c5, c0, 0\n\tisb" ::"r"(0) : "memory");
}

static uint32_t abort_status(void)
{
	uint32_t dfsr;

	__asm__ volatile("isb\n\tmrc p15, 0, %0, c5, c0, 0" : "=r"(dfsr)::"memory");
	return (dfsr & 0xf) | (dfsr >> 10 & 1) << 4;
}
#endif

/* Without a word of what was there changed. */
static bool answers(uintptr_t address, bool store)
{
	uint32_t status, word;

	forget_abort();
	word = mmio_read32(address);
	if (store) {
		forget_abort();
		mmio_write32(address, word);
	}
	status = abort_status();
	if (status && status != EXTERNAL)
		stop_with(status);
	return status == 0;
}

static void report(bool store, uint64_t start, uint64_t end)
{
	print(store ? "\nstores 0x" : "\nloads 0x");
	print_hex(start, 16);
	print(" 0x");
	print_hex(end, 16);
}

static void sweep(uint64_t start, uint64_t end, uint64_t step, bool store)
{
	uint64_t since = end;

	for (uint64_t at = start; at < end; at += step) {
		bool there = answers((uintptr_t)at + LAST_WORD, store);

		if (there && since == end)
			since = at;
		if (!there && since != end) {
			report(store, since, at);
			since = end;
		}
	}
	if (since != end)
		report(store, since, end);
}

__attribute__((noinline)) void finished(void)
{
	psci_hvc(SYSTEM_OFF, 0, 0, 0);
}

void first_main(void)
{
	static const struct {
		uint64_t start, end;
	} regions[] = { REGIONS };

	for (unsigned store = 0; store < 2; store++) {
		sweep(0, 4 * GIB, BLOCK, store);
		sweep(4 * GIB, HIGHEST, GIB, store);
		for (unsigned i = 0; i < sizeof(regions) / sizeof(regions[0]); i++)
			sweep(regions[i].start, regions[i].end, 0x1000, store);
	}
	print("\nall\n");
	finished();
}

void second_main(uint32_t vcpu)
{
	(void)vcpu;
}

void interrupt(bool fast)
{
	(void)fast;
}
