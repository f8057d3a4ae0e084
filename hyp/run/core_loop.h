/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a core: run its vCPUs, and serve other cores between them. */
#pragma once

#include "arch/types.h"

/* Run the loop until over() is true. The loop calls over() whenever no vCPU is loaded. */
void core_loop(bool (*over)(void));

/* The loop of every core but core 0. */
_Noreturn void core_loop_for_ever(void);
