/* SPDX-License-Identifier: Apache-2.0 */
/* ARMv7's part of switch.c. */
#pragma once

__asm__(".fpu neon-vfpv4");

#include "guest_arch/ops.h"

#define SLOTS 36
#define SLOT_CPSR 15
#define DEADLINE_SLOT 2
#define FPEXC_EN (1u << 30)
#define FP_CONTROL 0x48400008u /* FPSCR: bits that no arithmetic here sets */
#define FP_STATUS 0u
#define PSR_Q (1u << 27)
#define PSR_SVC_MASKED 0x1d3u
static const char *const fp_control_names[] = { "fpscr" };

/* mrrc p15, 0, r0, r1, c14; subs r0, r0, r2; bmi to the first: changes r0, r1 and flags */
static const uint32_t wait_code[] = { 0xec510f0e, 0xe0500002, 0x4afffffc };

/* SCTLR: no MMU, Z set. TTBCR without EAE: PRRR and NMRR are the registers that the other VM uses
 * as MAIR0 and MAIR1. */
#define LEFT_REGISTERS(X)                                                                          \
	X(sctlr_el1, 0x00c50878)                                                                   \
	X(cpacr_el1, 0x00500000)                                                                   \
	X(tcr_el1, 3)                                                                              \
	X(dacr32_el2, 0x11223344)                                                                  \
	X(mair_el1, 0x22334455)                                                                    \
	X(mair1, 0x33445566)                                                                       \
	X(contextidr_el1, 0x44556677)                                                              \
	X(vbar_el1, (uintptr_t)vectors)                                                            \
	X(esr_el1, 0x00001405)                                                                     \
	X(ifsr32_el2, 0x00001407)                                                                  \
	X(far_el1, 0x66778899)                                                                     \
	X(ifar, 0x778899aa)                                                                        \
	X(tpidr_el0, 0x8899aabb)                                                                   \
	X(tpidrro_el0, 0x99aabbcc)                                                                 \
	X(tpidr_el1, 0xaabbccdd)                                                                   \
	X(csselr_el1, 2)                                                                           \
	X(cntkctl_el1, 2)                                                                          \
	X(cntv_ctl_el0, 3)                                                                         \
	X(cntp_ctl_el0, 3)                                                                         \
	X(cntv_cval_el0, 0x7fffffffffffff01)                                                       \
	X(cntp_cval_el0, 0x7fffffffffffff02)                                                       \
	X(ttbr0_el1, 0x1155667700)                                                                 \
	X(ttbr1_el1, 0x2266778800)                                                                 \
	X(par_el1, 0x33778899aa)

static uint32_t pattern_of(unsigned slot)
{
	if (slot == SLOT_CPSR)
		return PSR_Q;
	if (slot > 22 && slot % 3 == 2) /* an SPSR */
		return slot << 28 | 0x10;
	return 0x01010101 * ((slot + 1) << 1) ^ 0x9abcdef0;
}

static const char *name_of(unsigned slot)
{
	static const char *const names[SLOTS] = {
		"r0",      "r1",      "r2",       "r3",     "r4",     "r5",
		"r6",      "r7",      "r8",       "r9",     "r10",    "r11",
		"r12",     "sp_usr",  "lr_usr",   "cpsr",   "r8_fiq", "r9_fiq",
		"r10_fiq", "r11_fiq", "r12_fiq",  "sp_fiq", "lr_fiq", "spsr_fiq",
		"sp_irq",  "lr_irq",  "spsr_irq", "sp_svc", "lr_svc", "spsr_svc",
		"sp_abt",  "lr_abt",  "spsr_abt", "sp_und", "lr_und", "spsr_und",
	};

	return names[slot];
}

static void forget_wait(void)
{
	stub_in[0] = stub_seen[0];
	stub_in[1] = stub_seen[1];
	stub_in[SLOT_CPSR] |= (stub_seen[SLOT_CPSR] & 0xf0000000) | PSR_SVC_MASKED;
}

static uint32_t read_fpexc(void)
{
	uint32_t fpexc;

	__asm__ volatile("vmrs %0, fpexc" : "=r"(fpexc));
	return fpexc;
}

static void check_fp_is_on(void)
{
	if (read_fpexc() != FPEXC_EN)
		fail("fpexc", -1, "");
}

static void fp_on(void)
{
	write_cpacr_el1(0xf << 20);
	isb();
	if (read_fpexc())
		fail("fpexc_not_zero", -1, "");
	__asm__ volatile("vmsr fpexc, %0" ::"r"(FPEXC_EN));
}

/* No Armv7 core has a GICv3. */
static void fill_interface_gicv3(void)
{
	fail("gic", -1, "");
}

static uint32_t read_pmr_gicv3(void)
{
	return 0;
}

static uint32_t read_rpr_gicv3(void)
{
	return 0;
}
