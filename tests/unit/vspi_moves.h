/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of SPIs that change their vCPU, the same for both GIC versions. */
#pragma once

int vspi_moves_tests(const char *name);
