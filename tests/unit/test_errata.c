/* SPDX-License-Identifier: Apache-2.0 */
/* Which revision of which core has which erratum, and which workarounds are in force. The test
 * tests/qemu/test_errata.py sees the effects of the workarounds. */
/* LINK: hyp/cpu/errata.c hyp/base/record.c */
#include <stdio.h>

#include "arch/sysreg.h"
#include "hyp/base/record.h"
#include "hyp/cpu/errata.h"
#include "lib/bits.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

#define A15 0x410fc0f0u
#define A72 0x410fd080u
#define REVISION(midr, r, p) ((midr) | (r##u) << 20 | (p##u))
#define LOOP_BUFFER_OFF (1u << 1)
#define STREAMING_OFF (1u << 25)
#define FIXED (1u << 9)
#define EMPTY_VTTBR 0x007f000040000000ull

static const struct run_config applied = { .stage2 = STAGE2_2M };
static const struct run_config ignored = { .stage2 = STAGE2_2M, .errata = ERRATA_IGNORED };

static void be(uint32_t midr, uint32_t revidr, uint32_t actlr)
{
	fake_midr_el1 = midr;
	fake_revidr_el1 = revidr;
	fake_actlr_el1 = actlr;
}

static void start_as(uint32_t midr, const struct run_config *config)
{
	be(midr, 0, 0);
	errata_use(config, EMPTY_VTTBR);
}

EACH_TEST(fake_hyp_reset, NULL);

static void assert_emits(const char *members)
{
	fake_hyp.console_size = 0;
	errata_emit();
	assert_string_equal(fake_hyp.console, members);
}

TEST(each_boundary_revision)
{
	static const struct {
		uint32_t midr, revidr, actlr;
		const char *handled, *missing;
	} rows[] = {
		{ REVISION(A72, 0, 0), 0, 0, "\"1319367\"", "" },
		{ REVISION(A72, 0, 3), 0, 0, "\"1319367\"", "" },
		{ REVISION(A72, 1, 0), ~0u, ~0u, "\"1319367\"", "" },
		{ REVISION(A15, 0, 0), 0, 0, "\"798181\",\"766422\"", "\"773022\",\"774769\"" },
		{ REVISION(A15, 0, 4), 0, 0, "\"798181\",\"766422\"", "\"773022\",\"774769\"" },
		{ REVISION(A15, 0, 4), 0, LOOP_BUFFER_OFF, "\"798181\",\"766422\",\"773022\"",
		  "\"774769\"" },
		{ REVISION(A15, 0, 4), FIXED, LOOP_BUFFER_OFF | STREAMING_OFF,
		  "\"798181\",\"766422\",\"773022\",\"774769\"", "" },
		{ REVISION(A15, 0, 5), 0, 0, "\"798181\"", "" },
		{ REVISION(A15, 1, 0), 0, 0, "\"798181\"", "" },
		{ REVISION(A15, 2, 3), FIXED, 0, "\"798181\"", "" }, /* no such bit yet */
		{ REVISION(A15, 2, 4), 1u << 4, 0, "\"798181\"", "" },
		{ REVISION(A15, 2, 4), FIXED, 0, "", "" },
		{ REVISION(A15, 3, 3), 0, 0, "\"798181\"", "" },
		{ REVISION(A15, 3, 3), FIXED, 0, "", "" },
		{ REVISION(A15, 3, 4), 0, 0, "", "" },
		{ REVISION(A15, 4, 0), 0, 0, "", "" },
		{ 0x410fd034u, 0, 0, "", "" }, /* Cortex-A53 */
		{ 0x410fc0e0u, 0, 0, "", "" }, /* Cortex-A17 */
		{ 0x420fc0f0u, 0, 0, "", "" }, /* another implementer's part */
	};
	char expected[128];

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		be(rows[i].midr, rows[i].revidr, rows[i].actlr);
		snprintf(expected, sizeof(expected), ",\"errata\":[%s],\"errata_missing\":[%s]",
			 rows[i].handled, rows[i].missing);
		assert_emits(expected);
	}
}

static bool nothing_in_force(void)
{
	return !errata.empty_vttbr && !errata.tlbi_this_core && !errata.thumb_store_stops;
}

TEST(what_is_in_force)
{
	start_as(REVISION(A15, 0, 4), &applied);
	assert_true(errata.tlbi_this_core && errata.thumb_store_stops && !errata.empty_vttbr);
	errata_use(&ignored, EMPTY_VTTBR);
	assert_true(nothing_in_force());
	start_as(REVISION(A15, 0, 5), &applied);
	assert_true(errata.tlbi_this_core && !errata.thumb_store_stops);
	start_as(REVISION(A15, 4, 0), &applied);
	assert_true(nothing_in_force());
	start_as(REVISION(A72, 0, 3), &applied);
	assert_true(errata.empty_vttbr && !errata.tlbi_this_core && !errata.thumb_store_stops);
	errata_use(&ignored, EMPTY_VTTBR);
	assert_true(nothing_in_force());
	errata_use(&applied, EMPTY_VTTBR); /* the next step */
	assert_int_equal(errata.empty_vttbr, EMPTY_VTTBR);
}
