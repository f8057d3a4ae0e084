/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trap additions to Armv8.0 that EL1 can access, or turn them off, as the ID registers demand (DDI
 * 0487 D13.2). On every core HCR_EL2 and CPTR_EL2 turn SVE, SME, pointer authentication, memory
 * tags and SCXTNUM off.
 */
#include "hyp/arch/cpu.h"

#include "arch/sysreg.h"

#define HCR_TLOR (1ull << 35)
#define HCR_TERR (1ull << 36)
#define HCR_TEA (1ull << 37)
#define MDCR_TPMS (1ull << 14)
#define MDCR_TTRF (1ull << 19)
#define SCR_FGTEN (1ull << 27)
#define SCR_HXEN (1ull << 38)
#define SCR_FGTEN2 (1ull << 59)

reg_t newer_hcr, newer_mdcr;

static unsigned field(reg_t id, unsigned shift)
{
	return id >> shift & 0xf;
}

void newer_init(void)
{
	newer_hcr = (field(read_id_aa64mmfr1_el1(), 16) ? HCR_TLOR : 0) |         /* LORegions */
		    (field(read_id_aa64pfr0_el1(), 28) ? HCR_TERR | HCR_TEA : 0); /* RAS */
	newer_mdcr = (field(read_id_aa64dfr0_el1(), 32) ? MDCR_TPMS : 0) |        /* profiling */
		     (field(read_id_aa64dfr0_el1(), 40) ? MDCR_TTRF : 0);         /* trace filter */
#define X(name, value, kind, id, shift, least)                                                     \
	if (field(read_##id(), shift) >= (least))                                                  \
		write_##name(value);
	NEWER_REGS(X)
#undef X
}

/*
 * The RAS extension has DISR_EL1. While HCR_EL2.AMO is 1 a guest's accesses to DISR_EL1 reach
 * VDISR_EL2 (DDI 0487 D13.2.32).
 */
static bool has_disr(void)
{
	return field(read_id_aa64pfr0_el1(), 28);
}

/* SME has TPIDR2_EL0; HFGRTR_EL2 and HFGWTR_EL2 trap the register if they exist. */
static bool has_tpidr2(void)
{
	return field(read_id_aa64pfr1_el1(), 24) && !field(read_id_aa64mmfr0_el1(), 56);
}

bool newer_is_there(void)
{
	return has_disr() || has_tpidr2();
}

void newer_save(struct newer_el1 *regs)
{
	if (has_disr()) {
		regs->disr = read_s3_0_c12_c1_1();
		regs->vdisr = read_s3_4_c12_c1_1();
	}
	if (has_tpidr2())
		regs->tpidr2 = read_s3_3_c13_c0_5();
}

void newer_restore(const struct newer_el1 *regs)
{
	if (has_disr()) {
		write_s3_0_c12_c1_1(regs->disr);
		write_s3_4_c12_c1_1(regs->vdisr);
	}
	if (has_tpidr2())
		write_s3_3_c13_c0_5(regs->tpidr2);
}

reg_t newer_scr(void)
{
	unsigned fgt = field(read_id_aa64mmfr0_el1(), 56);

	if (field(read_id_aa64pfr0_el1(), 40))
		write_s3_6_c10_c5_0(0);
	return (fgt ? SCR_FGTEN : 0) | (fgt > 1 ? SCR_FGTEN2 : 0) |
	       (field(read_id_aa64mmfr1_el1(), 40) ? SCR_HXEN : 0);
}
