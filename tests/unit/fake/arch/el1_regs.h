/* SPDX-License-Identifier: Apache-2.0 */
/* Data only: the ARMv8 list as it is. */
#pragma once

#include "arch/armv8/include/arch/el1_regs.h"
