/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path tests/unit/vgic_cases.c vgic-oracle drivers/gic/gicv3.c */
