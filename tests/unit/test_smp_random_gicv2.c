/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path-of-cores tests/unit/smp_random.c smp-oracle drivers/gic/gicv2.c */
