/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/programs/dedup.c"
#include "tests/unit/fake/fake_program.h"
#include "tests/unit/unit.h"

/* The checksum is that of the whole output: of every chunk, reference and match. */
TEST(output_is_that_of_the_input)
{
	static const uint32_t checksums[] = { 0xdaa90468, 0xecef37f8, 0x60e78ab4, 0x85822429,
					      0x71b4d590 };

	assert_checksums(&prog_dedup, checksums, sizeof(checksums) / sizeof(checksums[0]));
}
