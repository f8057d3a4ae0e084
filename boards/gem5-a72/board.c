/* SPDX-License-Identifier: Apache-2.0 */
/* gem5's VExpress_GEM5_V2. */
#include "boards/board.h"

const struct board board = {
	.name = "gem5-a72",
	.gic = { .dist = 0x2c000000, .redist = 0x2c010000 },
	.smc_needs_secure = true,
#include "boards/gem5/machine.c.inc"
};
