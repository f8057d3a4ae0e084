/* SPDX-License-Identifier: Apache-2.0 */
/* The fake machine's PMU is that of arch/armv8. */
#pragma once

#include "arch/armv8/include/arch/pmu.h"
