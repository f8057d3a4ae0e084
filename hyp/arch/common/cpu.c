/* SPDX-License-Identifier: Apache-2.0 */
/* EL2 and HYP mode, as far as Armv8.0 and ARMv7 agree. Register fields: DDI 0487 D13.2, DDI 0406C
 * B4.1. */
#include "hyp/arch/cpu.h"
#include "hyp/arch/guest.h"

#include "arch/barrier.h"
#include "arch/control.h"
#include "arch/sysreg.h"
#include "arch/tlb.h"
#include "boards/board.h"

/* SCTLR_EL2 and HSCTLR */
#define SCTLR_M (1u << 0)
#define SCTLR_C (1u << 2)
#define SCTLR_I (1u << 12)
#define SCTLR_WXN (1u << 19)

#define CPTR_TFP (1u << 10) /* HCPTR.TCP10 */

/* 4 GiB of input, inner shareable write-back walks; stage 2 also begins at level 1 */
#define TCR_EL2_RES1 (1u << 31 | 1u << 23)
#define TCR_WALK_CACHED (1u << 8 | 1u << 10 | 3u << 12)
#define VTCR_RES1 (1u << 31)
#define VTCR_SL0_LEVEL1 (1u << 6)

static bool has_fp;

/* If NSACR denies FP to Non-secure state, HCPTR's traps read as one (DDI 0406C B4.1.65). gem5 is
 * such a case: its NSACR grants no FP (boards/board.h). */
bool cpu_has_fp(void)
{
	return has_fp;
}

void cpu_init(void)
{
	cpu_guest_off();
	write_cptr_el2(CPTR_NO_TRAPS);
	has_fp = !(read_cptr_el2() & CPTR_TFP);
	write_hstr_el2(0);
	write_mdcr_el2(read_mdcr_el2() & 0x1f); /* HPMN stays until a guest has its own */
	newer_init();
	write_vpidr_el2(read_midr_el1());
	write_vmpidr_el2(read_mpidr_el1());
	write_cntvoff_el2(0);
	write_cnthp_ctl_el2(0);
	write_vttbr_el2(0);
	write_vtcr_el2(VTCR_RES1 | TCR_WALK_CACHED | VTCR_SL0_LEVEL1 | TCR_SIZES);
	isb();
}

void cpu_enable_mmu(const pte_t *root)
{
	cpu_set_memory_types();
	write_tcr_el2(TCR_EL2_RES1 | TCR_WALK_CACHED | TCR_SIZES);
	write_ttbr0_el2((uintptr_t)root);
	tlbi_el2_all();
	write_sctlr_el2(SCTLR_EL2_OFF | SCTLR_M | SCTLR_C | SCTLR_SA | SCTLR_I | SCTLR_WXN);
	isb();
}

/* Also turn the guest's timers off, so that no interrupt of a stopped guest stays pending. */
void cpu_guest_off(void)
{
	write_hcr_el2(HCR_RW);
	write_cntv_ctl_el0(0);
	write_cntp_ctl_el0(0);
	isb();
}
