/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path-of-cores tests/unit/vgic_random.c vgic-oracle drivers/gic/gicv2.c */
