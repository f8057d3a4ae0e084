/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/programs/similarity.c"
#include "tests/unit/fake/fake_program.h"
#include "tests/unit/unit.h"

/* The checksum is that of every answer: the nearest vectors and their distances. */
TEST(answers_are_the_nearest_vectors)
{
	static const uint32_t checksums[] = { 0x6376914f, 0x76db2c84, 0x5795106d, 0x87a05d0b,
					      0x4e26cdb2 };

	assert_checksums(&prog_similarity, checksums, sizeof(checksums) / sizeof(checksums[0]));
}
