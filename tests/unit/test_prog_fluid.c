/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/programs/fluid.c"
#include "tests/unit/fake/fake_program.h"
#include "tests/unit/unit.h"

/* The checksum is that of the place and the speed of every particle. */
TEST(particles_move_as_the_fluid_does)
{
	static const uint32_t checksums[] = { 0x78a8e1ec, 0xce9d37d3, 0x36bef153, 0x60662d48,
					      0x2f5b4179 };

	assert_checksums(&prog_fluid, checksums, sizeof(checksums) / sizeof(checksums[0]));
}
