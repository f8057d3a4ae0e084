/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses of the GIC for the driver: constants once the link has inlined this function. */
#include "boards/board.h"
#include "drivers/gic/gic.h"

const struct gic_bases *gic_board_bases(void)
{
	return &board.gic;
}
