/* SPDX-License-Identifier: Apache-2.0 */
/* An exit that is only noted. */
#pragma once

#include "arch/types.h"

void semihosting_exit(unsigned code);
