/* SPDX-License-Identifier: Apache-2.0 */
/* QEMU `virt` with a GICv3. */
#include "boards/board.h"

const struct board board = {
	.name = "virt-a72-gicv3",
	.gic = { .dist = 0x08000000, .redist = 0x080a0000 },
#include "boards/virt/machine.c.inc"
};
