/* SPDX-License-Identifier: Apache-2.0 */
/* Delays that add up instead of passing. An odd count, which would hang a core, fails the test. */
#pragma once

#include "arch/types.h"

void delay_instructions(reg_t count);
