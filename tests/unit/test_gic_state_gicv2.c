/* SPDX-License-Identifier: Apache-2.0 */
/* gic_state.c on a GICv2. */
/* LINK: exit-path tests/unit/gic_state.c drivers/gic/gicv2.c */
