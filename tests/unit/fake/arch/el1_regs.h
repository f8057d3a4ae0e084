/* SPDX-License-Identifier: Apache-2.0 */
/* This header has only data: include the ARMv8 list unchanged. */
#pragma once

#include "arch/armv8/include/arch/el1_regs.h"
