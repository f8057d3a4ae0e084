/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of errata: facts of Arm's Software Developers Errata Notices (Cortex-A15 MPCore,
 * Cortex-A53 MPCore, Cortex-A72 MPCore). The revisions are those for which operating systems and
 * firmware apply workarounds.
 */
#include "hyp/cpu/errata.h"

#include "arch/sysreg.h"
#include "hyp/base/record.h"
#include "lib/bits.h"

/* MIDR (DDI 0487 D13.2.100): implementer, variant (r), architecture, part, revision (p). */
#define MIDR_CORE_MASK 0xff00fff0u
#define MIDR_CORTEX_A15 0x4100c0f0u
#define MIDR_CORTEX_A53 0x4100d030u
#define MIDR_CORTEX_A72 0x4100d080u
#define MIDR_REVISION(midr) (((midr) >> 16 & 0xf0u) | ((midr)&0xfu)) /* rNpM: 0xNM */

#define ALL_REVISIONS 0xffu

/* The part of the system that handles an erratum. */
enum handler {
	BY_EL2,
	BY_ACTLR,   /* Secure firmware sets bits that EL2 reads */
	BY_BUILD,   /* options of the compiler and the linker avoid the sequences */
	BY_FIRMWARE /* firmware at EL3 sets bits that EL2 may not read on every board */
};

struct erratum {
	const char *number;
	uint32_t core;
	uint8_t first, last;  /* affected revisions */
	uint8_t revidr_from;  /* from this revision on bits of REVIDR show a fix: */
	uint32_t revidr_bits; /* 0 if no bit does */
	enum handler handler;
	uint32_t actlr_bits; /* for BY_ACTLR */
};

enum {
	A72_1319367,
	A53_1530924,
	A53_835769,
	A53_843419,
	A53_819472,
	A53_824069,
	A53_827319,
	A53_826319,
	A53_836870,
	A53_855873,
	A72_859971,
	A15_798181,
	A15_766422,
	A15_773022,
	A15_774769
};

static const struct erratum table[] = {
	/* A speculative address translation during a VM switch uses EL1 registers of both VMs, and
	 * the TLB keeps the result. */
	[A72_1319367] = { "1319367", MIDR_CORTEX_A72, .last = ALL_REVISIONS },
	/* The Cortex-A53's form of 1319367. */
	[A53_1530924] = { "1530924", MIDR_CORTEX_A53, .last = ALL_REVISIONS },
	/* A 64-bit multiply-accumulate after a load or store, and an ADRP at the end of a page, may
	 * give wrong results: arch/armv8/toolchain.mk avoids both sequences for boards with this
	 * core. */
	[A53_835769] = { "835769", MIDR_CORTEX_A53, .last = 0x04, .handler = BY_BUILD },
	[A53_843419] = { "843419", MIDR_CORTEX_A53, .last = 0x04, .handler = BY_BUILD },
	/* Cleaning a line without invalidating it may corrupt data. EL2 and the bench guest use
	 * only DC CIVAC, never DC CVAC or CVAU. */
	[A53_819472] = { "819472", MIDR_CORTEX_A53, .last = 0x01 },
	[A53_824069] = { "824069", MIDR_CORTEX_A53, .last = 0x02 },
	[A53_827319] = { "827319", MIDR_CORTEX_A53, .last = 0x02 },
	/* L2 and memory order: L2ACTLR and CPUACTLR. Revisions before r0p3 have no bit against
	 * 855873, which DC CIVAC avoids there. */
	[A53_826319] = { "826319", MIDR_CORTEX_A53, .last = 0x02, .handler = BY_FIRMWARE },
	[A53_836870] = { "836870", MIDR_CORTEX_A53, .last = 0x03, .handler = BY_FIRMWARE },
	[A53_855873] = { "855873", MIDR_CORTEX_A53, 0x03, ALL_REVISIONS, .handler = BY_FIRMWARE },
	/* The instruction prefetch must be off: CPUACTLR. */
	[A72_859971] = { "859971", MIDR_CORTEX_A72, .last = 0x03, .handler = BY_FIRMWARE },
	/* Broadcast TLB maintenance may be incomplete on other cores after the DSB. REVIDR[9] shows
	 * the fix; REVIDR[4] only a part of it. */
	[A15_798181] = { "798181", MIDR_CORTEX_A15, .last = 0x33, .revidr_from = 0x24,
			 .revidr_bits = 1u << 9 },
	/* HSR.Rt of a Thumb store that faults at stage 2 may be wrong. */
	[A15_766422] = { "766422", MIDR_CORTEX_A15, .last = 0x04 },
	/* The loop buffer may deliver wrong instructions: ACTLR[1] turns it off. */
	[A15_773022] = { "773022", MIDR_CORTEX_A15, .last = 0x04, .handler = BY_ACTLR,
			 .actlr_bits = 1u << 1 },
	/* Streamed stores may corrupt data: ACTLR[25] turns streaming off. */
	[A15_774769] = { "774769", MIDR_CORTEX_A15, .last = 0x04, .handler = BY_ACTLR,
			 .actlr_bits = 1u << 25 },
};

struct errata_in_force errata;

static bool is_present(const struct erratum *erratum)
{
	uint32_t midr = (uint32_t)read_midr_el1();
	uint32_t revision = MIDR_REVISION(midr);

	if ((midr & MIDR_CORE_MASK) != erratum->core || revision < erratum->first ||
	    revision > erratum->last)
		return false;
	return revision < erratum->revidr_from || !(read_revidr_el1() & erratum->revidr_bits);
}

static bool is_handled(const struct erratum *erratum)
{
	switch (erratum->handler) {
	case BY_ACTLR:
		return !(~read_actlr_el1() & erratum->actlr_bits);
	case BY_BUILD:
		return ISA_A53_SEQUENCES_AVOIDED;
	case BY_FIRMWARE:
		return false;
	default:
		return true;
	}
}

/* Return whether EL2 knows if the erratum is handled: EL2 cannot ask firmware. */
static bool is_known(const struct erratum *erratum, bool firmware)
{
	return erratum->handler != BY_FIRMWARE || !firmware;
}

/* Emit the numbers of the errata that are present and handled, or present and not handled. */
static void emit(const char *name, bool handled, bool firmware)
{
	const char *numbers[ARRAY_SIZE(table)];
	unsigned count = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
		if (is_present(&table[i]) && is_known(&table[i], firmware) &&
		    is_handled(&table[i]) == handled)
			numbers[count++] = table[i].number;
	record_strings(name, numbers, count);
}

void errata_emit(bool firmware)
{
	emit("errata", true, firmware);
	emit("errata_missing", false, firmware);
}

void errata_use(const struct run_config *config, uint64_t empty_vttbr)
{
	bool on = config->errata == ERRATA_APPLIED;

	errata = (struct errata_in_force){
		.tlbi_this_core = on && is_present(&table[A15_798181]),
		.thumb_store_stops = on && is_present(&table[A15_766422]),
	};
	if (on && (is_present(&table[A72_1319367]) || is_present(&table[A53_1530924])))
		errata.empty_vttbr = empty_vttbr;
}
