/* SPDX-License-Identifier: Apache-2.0 */
/* gem5's VExpress_GEM5_V1. */
#include "boards/board.h"

const struct board board = {
	.name = "gem5-a72-gicv2",
	.gic = { .dist = 0x2c001000, .cpu = 0x2c002000, .hyp = 0x2c004000, .vcpu = 0x2c006000 },
	.smc_needs_secure = true,
#include "boards/gem5/machine.c.inc"
};
