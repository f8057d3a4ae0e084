/* SPDX-License-Identifier: Apache-2.0 */
/* Data only: ARMv8's as it is. */
#pragma once

#include "arch/armv8/include/arch/control.h"
