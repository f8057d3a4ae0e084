/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the traps that a core's ID registers ask for, and of the registers that move with a
 * vCPU. A core without a feature lacks its registers: an access would be undefined. */
/* LINK: hyp/arch/armv8/newer.c */
#include "hyp/arch/cpu.h"

#include "arch/sysreg.h"
#include "lib/bits.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define TLOR (1ull << 35)
#define TERR_TEA (3ull << 36)
#define TPMS (1ull << 14)
#define TTRF (1ull << 19)

static unsigned writes;

static bool count_write(const uint64_t *variable, uint64_t value)
{
	writes++;
	return false;
}

static void start(void)
{
	fake_reset();
	fake_sysregs.write = count_write;
	newer_hcr = newer_mdcr = 0;
	writes = 0;
}

EACH_TEST(start, NULL);

TEST(each_field_has_its_trap)
{
	const struct {
		reg_t *id;
		unsigned shift;
		reg_t hcr, mdcr;
	} fields[] = {
		{ &fake_id_aa64mmfr1_el1, 16, TLOR, 0 },
		{ &fake_id_aa64pfr0_el1, 28, TERR_TEA, 0 },
		{ &fake_id_aa64dfr0_el1, 32, 0, TPMS },
		{ &fake_id_aa64dfr0_el1, 40, 0, TTRF },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		start();
		*fields[i].id = 1ull << fields[i].shift;
		newer_init();
		assert_int_equal(newer_hcr, fields[i].hcr);
		assert_int_equal(newer_mdcr, fields[i].mdcr);
		assert_int_equal(writes, 0);
	}
}

TEST(what_a_loader_left_there_is_gone)
{
	fake_s3_4_c1_c2_2 = fake_s3_4_c1_c1_4 = fake_s3_4_c3_c1_5 = fake_s3_4_c3_c1_7 = ~0ull;
	fake_id_aa64mmfr1_el1 = 1ull << 40;
	fake_id_aa64mmfr0_el1 = 1ull << 56;
	newer_init();
	assert_int_equal(fake_s3_4_c1_c2_2 | fake_s3_4_c1_c1_4 | fake_s3_4_c3_c1_5, 0);
	assert_int_equal(fake_s3_4_c3_c1_7, ~0ull); /* second kind of fine-grained traps */
	assert_int_equal(writes, 6);
	assert_int_equal(newer_scr(), 1ull << 38 | 1ull << 27);
	fake_id_aa64mmfr0_el1 = 2ull << 56;
	newer_init();
	assert_int_equal(fake_s3_4_c3_c1_7, 0);
	assert_int_equal(newer_scr(), 1ull << 38 | 1ull << 27 | 1ull << 59);
}

TEST(memory_partitions_are_el2s)
{
	fake_s3_6_c10_c5_0 = 1ull << 62;
	fake_id_aa64pfr0_el1 = 1ull << 40;
	newer_init();
	assert_int_equal(fake_s3_4_c10_c5_0, 3ull << 48);
	assert_int_equal(newer_scr(), 0);
	assert_int_equal(fake_s3_6_c10_c5_0, 0);
}

TEST(a_vcpu_has_what_its_guest_writes_without_a_trap)
{
	const struct newer_el1 other = { .disr = 1, .vdisr = 2, .tpidr2 = 3 };
	const struct {
		reg_t pfr0, pfr1, mmfr0;
		bool disr, tpidr2;
	} cores[] = {
		{ 0, 0, 0, false, false },
		{ 1ull << 28, 0, 0, true, false },
		{ 0, 1ull << 24, 0, false, true },
		{ 0, 1ull << 24, 1ull << 56, false, false }, /* fine-grained traps */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cores); i++) {
		struct newer_el1 saved = { 0 };

		fake_id_aa64pfr0_el1 = cores[i].pfr0;
		fake_id_aa64pfr1_el1 = cores[i].pfr1;
		fake_id_aa64mmfr0_el1 = cores[i].mmfr0;
		fake_s3_0_c12_c1_1 = fake_s3_4_c12_c1_1 = fake_s3_3_c13_c0_5 = 9;
		writes = 0;
		assert_int_equal(newer_is_there(), cores[i].disr || cores[i].tpidr2);
		newer_save(&saved);
		newer_restore(&other);
		assert_int_equal(writes, (cores[i].disr ? 2 : 0) + (cores[i].tpidr2 ? 1 : 0));
		assert_int_equal(saved.disr, cores[i].disr ? 9 : 0);
		assert_int_equal(saved.vdisr, cores[i].disr ? 9 : 0);
		assert_int_equal(saved.tpidr2, cores[i].tpidr2 ? 9 : 0);
		assert_int_equal(fake_s3_0_c12_c1_1, cores[i].disr ? 1 : 9);
		assert_int_equal(fake_s3_4_c12_c1_1, cores[i].disr ? 2 : 9);
		assert_int_equal(fake_s3_3_c13_c0_5, cores[i].tpidr2 ? 3 : 9);
	}
}
