/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/programs/itemsets.c"
#include "tests/unit/fake/fake_program.h"
#include "tests/unit/unit.h"

/* The checksum is that of every set that is frequent, with its support. */
TEST(sets_are_those_that_are_frequent)
{
	static const uint32_t checksums[] = { 0x88347181, 0xfa9b80b5, 0xa2952c20 };

	assert_checksums(&prog_itemsets, checksums, sizeof(checksums) / sizeof(checksums[0]));
}
