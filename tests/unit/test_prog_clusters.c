/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/programs/clusters.c"
#include "tests/unit/fake/fake_program.h"
#include "tests/unit/unit.h"

/* The checksum is that of every centre, with its weight, and of the cost. */
TEST(centres_are_those_of_the_groups)
{
	static const uint32_t checksums[] = { 0x7b270f9e, 0x9420cdfd, 0xbdb7e5b9, 0x67ce9ee5,
					      0xce2ff82a };

	assert_checksums(&prog_clusters, checksums, sizeof(checksums) / sizeof(checksums[0]));
}
