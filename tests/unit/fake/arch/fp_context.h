/* SPDX-License-Identifier: Apache-2.0 */
/* This header has only data: include the ARMv8 context unchanged. */
#pragma once

#include "arch/armv8/include/arch/fp_context.h"
