/* SPDX-License-Identifier: Apache-2.0 */
/* From start.S, with a stack: the rest of a C environment, then guest_main(). */
#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "guest/main.h"
#include "guest_arch/control.h"

#define CNTKCTL_COUNTERS 3u /* the counters for EL0: EL0PCTEN, EL0VCTEN */

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
