/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.S calls guest_start() with a stack. The function prepares the rest of a C environment and
 * calls guest_main().
 */
#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "guest/main.h"
#include "guest_arch/control.h"

#define CNTKCTL_COUNTERS 3u /* EL0PCTEN, EL0VCTEN: EL0 may read the counters */

extern char guest_vectors[];
extern uint64_t __bss_start[], __bss_end[]; /* multiples of 16 */

_Noreturn void guest_start(const struct guest_run *run);

_Noreturn void guest_start(const struct guest_run *run)
{
	write_vbar_el1((reg_t)guest_vectors);
	start_fp(run);
	start_libc();
	write_cntkctl_el1(CNTKCTL_COUNTERS);
	isb();
	for (uint64_t *at = __bss_start; at < __bss_end; at += 2) {
		at[0] = 0;
		at[1] = 0;
	}
	guest_main(run);
}
