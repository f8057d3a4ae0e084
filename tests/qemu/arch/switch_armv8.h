/* SPDX-License-Identifier: Apache-2.0 */
/* ARMv8's part of switch.c. */
#pragma once

#include "guest_arch/ops.h"

#define SLOTS 34
#define SLOT_SP 31 /* stub_run() sets its own SP */
#define SLOT_NZCV 33
#define DEADLINE_SLOT 29
#define GICR_SGI 0x10000
#define FP_CONTROL 0x400000u
#define FP_STATUS 8u
static const char *const fp_control_names[] = { "fpcr", "fpsr" };

/* mrs x0, cntpct_el0; sub x0, x0, x29; tbnz x0, #63, to the first: changes x0 alone */
static const uint32_t wait_code[] = { 0xd53be020, 0xcb1d0000, 0xb7ffffc0 };

/* SCTLR: no MMU, UCT and UCI set. */
#define LEFT_REGISTERS(X)                                                                          \
	X(sctlr_el1, 0x34d08800)                                                                   \
	X(cpacr_el1, 0x100000)                                                                     \
	X(ttbr0_el1, 0x1122334455667700)                                                           \
	X(ttbr1_el1, 0x2233445566778800)                                                           \
	X(tcr_el1, 0x35203520)                                                                     \
	X(mair_el1, 0x33445566778899aa)                                                            \
	X(contextidr_el1, 0x44556677)                                                              \
	X(vbar_el1, (uintptr_t)vectors)                                                            \
	X(esr_el1, 0x56000001)                                                                     \
	X(far_el1, 0x66778899aabbccdd)                                                             \
	X(elr_el1, 0x778899aabbccddee)                                                             \
	X(spsr_el1, 0x900003c5)                                                                    \
	X(par_el1, 0x99aabbccddeeff00)                                                             \
	X(tpidr_el0, 0xaabbccddeeff0011)                                                           \
	X(tpidrro_el0, 0xbbccddeeff001122)                                                         \
	X(tpidr_el1, 0xccddeeff00112233)                                                           \
	X(csselr_el1, 2)                                                                           \
	X(cntkctl_el1, 0x2)                                                                        \
	X(cntv_cval_el0, 0x7fffffffffffff01)                                                       \
	X(cntv_ctl_el0, 3)                                                                         \
	X(cntp_cval_el0, 0x7fffffffffffff02)                                                       \
	X(cntp_ctl_el0, 3)

static uint64_t pattern_of(unsigned slot)
{
	if (slot == SLOT_NZCV)
		return 0xa0000000;
	return 0x0101010101010101ull * ((slot + 1) << 1) ^ 0x123456789abcdef0;
}

static const char *name_of(unsigned slot)
{
	static char name[] = "x00";

	if (slot > 30)
		return slot == SLOT_SP ? "sp_el1" : slot == SLOT_NZCV ? "nzcv" : "sp_el0";
	name[1] = (char)('0' + (slot < 10 ? slot : slot / 10));
	name[2] = (char)(slot < 10 ? 0 : '0' + slot % 10);
	return name;
}

static void forget_wait(void)
{
	stub_in[0] = stub_seen[0];
}

static void fp_on(void)
{
	write_cpacr_el1(3 << 20);
	isb();
}

static void check_fp_is_on(void)
{
}

static void fill_interface_gicv3(void)
{
	uintptr_t gicd = (uintptr_t)guest_run->gicd_base;
	uintptr_t sgis = (uintptr_t)guest_run->gicr_base + GICR_SGI;
	uint64_t iar;

	mmio_write8(sgis + IPRIORITYR + SGI, PRIORITY);
	mmio_write32(sgis + 0x80, ~0u);        /* IGROUPR0 */
	mmio_write32(sgis + 0x100, 1u << SGI); /* ISENABLER0 */
	mmio_write32(gicd, 0x12);
	__asm__ volatile("msr s3_0_c4_c6_0, %1\n\t"          /* ICC_PMR_EL1 */
			 "msr s3_0_c12_c12_7, %2\n\tisb\n\t" /* ICC_IGRPEN1_EL1 */
			 "msr s3_0_c12_c11_5, %3\n\tisb\n\t" /* ICC_SGI1R_EL1 */
			 "mrs %0, s3_0_c12_c12_0"            /* ICC_IAR1_EL1 */
			 : "=&r"(iar)
			 : "r"((uint64_t)MASK), "r"(1ul), "r"(SGI << 24 | 1ul)
			 : "memory");
	if (iar != SGI)
		fail("sgi", -1, "");
}

static uint32_t read_pmr_gicv3(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, s3_0_c4_c6_0" : "=r"(value));
	return (uint32_t)value;
}

static uint32_t read_rpr_gicv3(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, s3_0_c12_c11_3" : "=r"(value));
	return (uint32_t)value;
}
