/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traps additions to Armv8.0 that EL1 can access, or turns them off, by the ID registers (DDI 0487
 * D13.2). HCR_EL2 and CPTR_EL2 of every core turn SVE, SME, pointer authentication, memory tags and
 * SCXTNUM off.
 */
#include "hyp/arch/newer.h"

#include <stddef.h>

#include "arch/sysreg.h"
#include "lib/bits.h"

#define HCR_TLOR (1ull << 35)
#define HCR_TERR (1ull << 36)
#define HCR_TEA (1ull << 37)
#define MDCR_TPMS (1ull << 14)
#define MDCR_TTRF (1ull << 19)
#define SCR_FGTEN (1ull << 27)
#define SCR_HXEN (1ull << 38)
#define SCR_FGTEN2 (1ull << 59)
#define MPAM2_TRAPS (3ull << 48)

reg_t newer_hcr, newer_mdcr;

static void add_hcr(reg_t bits)
{
	newer_hcr |= bits;
}

static void add_mdcr(reg_t bits)
{
	newer_mdcr |= bits;
}

/* newer_init() calls `set` where the four-bit field of the ID register is at least `least`. A 0 in
 * the registers of fine-grained traps traps the newest registers alone. */
static const struct {
	reg_t (*id)(void);
	unsigned shift, least;
	void (*set)(reg_t value);
	reg_t value;
} additions[] = {
	{ read_id_aa64mmfr1_el1, 16, 1, add_hcr, HCR_TLOR },               /* LORegions */
	{ read_id_aa64pfr0_el1, 28, 1, add_hcr, HCR_TERR | HCR_TEA },      /* RAS */
	{ read_id_aa64dfr0_el1, 32, 1, add_mdcr, MDCR_TPMS },              /* profiling */
	{ read_id_aa64dfr0_el1, 40, 1, add_mdcr, MDCR_TTRF },              /* trace filter */
	{ read_id_aa64pfr0_el1, 40, 1, write_s3_4_c10_c5_0, MPAM2_TRAPS }, /* MPAM2_EL2 */
	{ read_id_aa64mmfr1_el1, 40, 1, write_s3_4_c1_c2_2, 0 },           /* HCRX_EL2 */
	{ read_id_aa64mmfr0_el1, 56, 1, write_s3_4_c1_c1_4, 0 },           /* HFGRTR_EL2 */
	{ read_id_aa64mmfr0_el1, 56, 1, write_s3_4_c1_c1_5, 0 },           /* HFGWTR_EL2 */
	{ read_id_aa64mmfr0_el1, 56, 1, write_s3_4_c1_c1_6, 0 },           /* HFGITR_EL2 */
	{ read_id_aa64mmfr0_el1, 56, 1, write_s3_4_c3_c1_4, 0 },           /* HDFGRTR_EL2 */
	{ read_id_aa64mmfr0_el1, 56, 1, write_s3_4_c3_c1_5, 0 },           /* HDFGWTR_EL2 */
	{ read_id_aa64mmfr0_el1, 56, 2, write_s3_4_c3_c1_0, 0 },           /* HDFGRTR2_EL2 */
	{ read_id_aa64mmfr0_el1, 56, 2, write_s3_4_c3_c1_1, 0 },           /* HDFGWTR2_EL2 */
	{ read_id_aa64mmfr0_el1, 56, 2, write_s3_4_c3_c1_2, 0 },           /* HFGRTR2_EL2 */
	{ read_id_aa64mmfr0_el1, 56, 2, write_s3_4_c3_c1_3, 0 },           /* HFGWTR2_EL2 */
	{ read_id_aa64mmfr0_el1, 56, 2, write_s3_4_c3_c1_7, 0 },           /* HFGITR2_EL2 */
};

void newer_init(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(additions); i++)
		if ((additions[i].id() >> additions[i].shift & 0xf) >= additions[i].least)
			additions[i].set(additions[i].value);
}

reg_t newer_scr(void)
{
	reg_t fgt = read_id_aa64mmfr0_el1() >> 56 & 0xf;
	reg_t hcx = read_id_aa64mmfr1_el1() >> 40 & 0xf;

	if (read_id_aa64pfr0_el1() >> 40 & 0xf)
		write_s3_6_c10_c5_0(0);
	return (fgt ? SCR_FGTEN : 0) | (fgt > 1 ? SCR_FGTEN2 : 0) | (hcx ? SCR_HXEN : 0);
}
