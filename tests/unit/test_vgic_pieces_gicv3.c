/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path-of-cores tests/unit/vgic_pieces.c drivers/gic/gicv3.c */
