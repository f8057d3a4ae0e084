/* SPDX-License-Identifier: Apache-2.0 */
/* Physical SPIs that the vGIC forwards, raised by HC_RAISE: the tests of both GIC versions. */
#pragma once

int vgic_spi_tests(const char *name);
