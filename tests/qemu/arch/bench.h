/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that takes the place of the bench guest. Its kernel is bench_<isa>.S; bench_main() runs
 * with MMU and caches off. stub_run() runs the instructions of stub_code with every register from
 * stub_in, and leaves every register in stub_seen. A failed check ends the guest with an error
 * record, which has the name of the check, and with an exit status that no guest has.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "abi/guest_run.h"
#include "abi/hypercall.h"
#include "abi/record.h"
#include "arch/barrier.h"
#include "arch/hypercall.h"
#include "arch/sysreg.h"

#define EXIT_DONE 0
#define EXIT_UNKNOWN 99 /* not in enum guest_exit */

extern uintptr_t stub_in[], stub_seen[];
extern uint32_t stub_code[], stub_end[];
extern char vectors[];
void stub_run(void);

_Noreturn void bench_main(struct guest_run *run);
void on_irq(void);
_Noreturn void on_exception(uintptr_t vector);

static struct guest_run *guest_run;

static inline void bench_exit(unsigned status)
{
	hvc(HC_ID(EXIT), status, 0);
}

/* Fail with the text "<what><n><suffix>"; n < 0: no number. */
static _Noreturn void fail(const char *what, int n, const char *suffix)
{
	char *record = (char *)guest_run + GUEST_RECORD_OFFSET, *at = record;

	for (const char *from = "\"where\":\"guest\",\"what\":\""; *from;)
		*at++ = *from++;
	while (*what)
		*at++ = *what++;
	for (int unit = n >= 100 ? 100 : n >= 10 ? 10 : 1; n >= 0 && unit; unit /= 10)
		*at++ = (char)('0' + n / unit % 10);
	while (*suffix)
		*at++ = *suffix++;
	*at++ = '"';
	hvc(HC_ID(RECORD), RECORD_ERROR, (reg_t)(at - record));
	for (;;)
		bench_exit(EXIT_UNKNOWN);
}

/* on_irq() of a guest that takes no interrupt. */
#define NO_INTERRUPTS                                                                              \
	void on_irq(void)                                                                          \
	{                                                                                          \
		fail("interrupt", -1, "");                                                         \
	}

void on_exception(uintptr_t vector)
{
	fail("exception_", (int)vector / 4, "");
}
