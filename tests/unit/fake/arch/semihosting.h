/* SPDX-License-Identifier: Apache-2.0 */
/* A semihosting exit that only calls a hook, see fake.h. */
#pragma once

#include "arch/types.h"

void semihosting_exit(unsigned code);
