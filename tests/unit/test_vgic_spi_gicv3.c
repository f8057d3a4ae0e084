/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path tests/unit/vgic_spi.c drivers/gic/gicv3.c */
