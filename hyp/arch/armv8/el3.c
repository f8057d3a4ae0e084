/* SPDX-License-Identifier: Apache-2.0 */
/* Set EL3 up if the image was entered there: no traps, no Secure interrupts, no firmware to answer
 * an SMC. Register fields: DDI 0487 D13.2. */
#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "boards/board.h"
#include "drivers/gic/gic.h"
#include "hyp/arch/cpu.h"

/* start.S calls this function at EL3 with translation off and bss clear. */
void el3_prepare(void);

#define SCR_NS (1u << 0)
#define SCR_RES1 (3u << 4)
#define SCR_SMD (1u << 7) /* SMC is undefined, since no firmware handles it */
#define SCR_HCE (1u << 8)
#define SCR_RW (1u << 10) /* EL2 is AArch64 */

/* CPUECTLR_EL1.SMPEN must be 1 before caches are on (Cortex-A72 TRM, DDI 0488, 4.3.67; the same bit
 * on A53, A57 and A73). On an entry below EL3 firmware sets the bit. */
#define CPUECTLR_SMPEN (1u << 6)

static bool has_smpen(void)
{
	unsigned part = (unsigned)(read_midr_el1() >> 4 & 0xfff);

	return part == 0xd03 || part == 0xd07 || part == 0xd08 || part == 0xd09;
}

void el3_prepare(void)
{
	if (has_smpen())
		write_s3_1_c15_c2_1(read_s3_1_c15_c2_1() | CPUECTLR_SMPEN);
	if (read_cntfrq_el0() == 0)
		write_cntfrq_el0(board.counter_hz);
	write_cptr_el3(0);
	write_mdcr_el3(0);
	write_scr_el3(SCR_RES1); /* Secure: banked registers of the GIC are the Secure ones */
	isb();
	gic_all_nonsecure();
	write_scr_el3(SCR_NS | SCR_RES1 | SCR_SMD | SCR_HCE | SCR_RW | newer_scr());
	isb();
}
