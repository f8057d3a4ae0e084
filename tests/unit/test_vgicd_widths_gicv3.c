/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path-of-cores tests/unit/vgicd_widths.c drivers/gic/gicv3.c */
