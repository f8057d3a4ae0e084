/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of accesses of every width to every register, the same for both GIC versions. */
#pragma once

int vdist_widths_tests(const char *name);
int vdist_redist_widths_tests(const char *name); /* GICv3 */
