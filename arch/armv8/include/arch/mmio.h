/* SPDX-License-Identifier: Apache-2.0 */
/* Device accesses of 8 to 64 bits. */
#pragma once

#include "arch/mmio_access.h"

MMIO(8, "w", "b")
MMIO(16, "w", "h")
MMIO(32, "w", "")
MMIO(64, "x", "")
