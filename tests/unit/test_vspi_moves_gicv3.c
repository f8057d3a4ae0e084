/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path-of-cores tests/unit/vspi_moves.c drivers/gic/gicv3.c */
