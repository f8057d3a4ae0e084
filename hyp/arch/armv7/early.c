/* SPDX-License-Identifier: Apache-2.0 */
/* C functions for start.S before the core is in HYP mode. Translation and caches are off. */
#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "boards/board.h"
#include "drivers/gic/gic.h"
#include "hyp/arch/armv7/entry.h"
#include "hyp/base/console.h"

/* start.S calls this function in monitor mode with SCR.NS 0. It grants Non-secure state the
 * coprocessors and the GIC's interrupts, and sets the counter's frequency if that is 0. */
void secure_setup(void);

/* early_vectors call this function. */
_Noreturn void early_exception_report(void);

/* NSACR (DDI 0406C B4.1.111): all coprocessors for Non-secure state, with ASEDIS and D32DIS 0; bit
 * 18 is Cortex-A15's NS_SMP, which lets HYP mode write ACTLR.SMP (DDI 0438 4.3.33). */
#define NSACR_COPROCESSORS 0x3fffu
#define NSACR_NS_SMP (1u << 18)

_Static_assert(offsetof(struct board, gem5_armv7) == BOARD_GEM5_ARMV7, "start.S knows it");

void secure_setup(void)
{
	write_nsacr(board.gem5_armv7 ? 0 : NSACR_COPROCESSORS | NSACR_NS_SMP);
	if (read_cntfrq_el0() == 0 && board.counter_hz)
		write_cntfrq_el0(board.counter_hz);
	gic_all_nonsecure();
	isb();
}

_Noreturn void early_exception_report(void)
{
	panic("exception in the first instructions, before the hypervisor's own vectors");
}
