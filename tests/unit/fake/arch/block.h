/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "arch/armv8/include/arch/block.h"
