/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of Thumb's IT block: an emulated store of a block is skipped or executed again. */
#include "hyp/arch/armv7/condition.h"
#include "tests/unit/unit.h"

#define FLAGS 16u
#define STATES 0x100u

/* The flags are bits 31:28. Bit 0 stands for the bits that are not part of an IT state. */
static uint32_t psr_of(uint32_t flags, uint32_t it)
{
	return psr_with_itstate(flags << 28 | 1, it);
}

/* Return true if `it` is the state of an instruction that is executed: a block's last four bits are
 * not all 0, and no block has the condition 1111. */
static bool is_executed(uint32_t psr, uint32_t it)
{
	return it & 0xf && it >> 4 != 0xf && condition_holds(it >> 4, psr);
}

TEST(an_instruction_outside_a_block_changes_nothing)
{
	for (uint32_t flags = 0; flags < FLAGS; flags++) {
		assert_int_equal(psr_it_advance(psr_of(flags, 0)), psr_of(flags, 0));
		assert_int_equal(psr_it_back(psr_of(flags, 0)), psr_of(flags, 0));
	}
}

/* ITTET EQ: 0000 0101, 0000 1010, 0001 0100, 0000 1000. */
TEST(a_block_goes_from_instruction_to_instruction)
{
	static const uint32_t block[] = { 0x05, 0x0a, 0x14, 0x08, 0 };

	for (unsigned i = 0; block[i]; i++)
		assert_int_equal(psr_it_advance(psr_of(4, block[i])), psr_of(4, block[i + 1]));
}

TEST(an_instruction_that_was_executed_is_executed_again)
{
	unsigned count = 0;

	for (uint32_t flags = 0; flags < FLAGS; flags++)
		for (uint32_t it = 1; it < STATES; it++) {
			uint32_t psr = psr_of(flags, it), next = psr_it_advance(psr), back;

			if (!is_executed(psr, it))
				continue;
			count++;
			back = psr_it_back(next);
			assert_int_equal(back, it & 7 ? psr : next);
			assert_int_equal(psr_it_advance(back), next);
		}
	/* one condition of each pair, and AL, each with 15 states of its block */
	assert_int_equal(count, FLAGS * (7 + 1) * 15);
}
