/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of accesses of every width to every register, the same for both GIC versions. */
#pragma once

int vgicd_widths_tests(const char *name);
int vgicr_widths_tests(const char *name); /* GICv3 */
