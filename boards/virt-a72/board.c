/* SPDX-License-Identifier: Apache-2.0 */
/* QEMU `virt` with a GICv2. */
#include "boards/board.h"

const struct board board = {
	.name = "virt-a72",
	.gic = { .dist = 0x08000000, .cpu = 0x08010000, .hyp = 0x08030000, .vcpu = 0x08040000 },
#include "boards/virt/machine.c.inc"
};
