/* SPDX-License-Identifier: Apache-2.0 */
/* Data only: the ARMv8 context as it is. */
#pragma once

#include "arch/armv8/include/arch/fp_context.h"
