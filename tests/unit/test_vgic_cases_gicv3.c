/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path-of-cores tests/unit/vgic_cases.c vgic-oracle drivers/gic/gicv3.c */
