/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the FP registers' owner in each mode. The fake FP register is fake_hyp.fp_value. */
/* LINK: hyp/cpu/fp.c */

#include "arch/control.h"
#include "hyp/cpu/fp.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

static struct fp guest, other;
static bool is_eager;

static void start(enum fp_mode mode)
{
	fake_hyp_reset();
	fake_hyp.fp_value = 99; /* the value of the last guest */
	write_cptr_el2(CPTR_NO_TRAPS | CPTR_FP);
	guest = (struct fp){ 0 };
	other = (struct fp){ 0 };
	fp_reset(mode);
	fp_add(&guest);
	fp_add(&other);
	is_eager = mode == FP_EAGER;
}

/* Switch the FP registers as vcpu_switch() does. */
static void switch_to(struct fp *to)
{
	if (is_eager)
		fp_move(to);
	else
		fp_switch(to);
}

/* Use the FP registers, through the trap as on a core. Return the value that the vCPU finds, and
 * leave the value `leaves`. */
static uint64_t use(struct fp *vcpu, uint64_t leaves)
{
	uint64_t found;

	if (fake_fp_trapped())
		assert_true(fp_first_use(vcpu));
	assert_false(fake_fp_trapped());
	found = fake_hyp.fp_value;
	fake_hyp.fp_value = leaves;
	return found;
}

/* A vCPU that starts again finds zero although it had values before. Another vCPU owns the
 * registers meanwhile and keeps its values. */
TEST(one_that_starts_again_finds_zero)
{
	for (unsigned mode = FP_LAZY; mode <= FP_EAGER; mode++) {
		start((enum fp_mode)mode);
		switch_to(&other);
		use(&other, 12);
		switch_to(&guest);
		use(&guest, 11);
		fp_remove(&other);
		fp_add(&other);
		assert_int_equal(use(&guest, 13), 11);
		switch_to(&other);
		assert_int_equal(use(&other, 14), 0);
		switch_to(&guest);
		assert_int_equal(use(&guest, 15), 13);
	}
}

/* No vCPU may read the last owner's values. */
TEST(registers_that_are_nobodys_go_to_who_comes)
{
	struct fp another;

	for (unsigned mode = FP_STATIC; mode <= FP_EAGER; mode++) {
		start((enum fp_mode)mode);
		use(&guest, 11);
		fp_remove(&guest);
		fp_add(&another);
		switch_to(&another);
		assert_false(fake_fp_trapped());
		assert_int_equal(use(&another, 12), 0);
	}
}
