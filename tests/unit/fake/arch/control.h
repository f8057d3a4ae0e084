/* SPDX-License-Identifier: Apache-2.0 */
/* This header has only data: include the ARMv8 header unchanged. */
#pragma once

#include "arch/armv8/include/arch/control.h"
