/* SPDX-License-Identifier: Apache-2.0 */
/* gic_state.c on a GICv3. */
/* LINK: exit-path tests/unit/gic_state.c drivers/gic/gicv3.c */
