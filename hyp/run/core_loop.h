/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a core: run its vCPUs, and between them serve other cores. */
#pragma once

#include "arch/types.h"

/* Until over() is true, asked whenever no vCPU is loaded. */
void core_loop(bool (*over)(void));

/* The loop of the cores beside core 0. */
_Noreturn void core_loop_for_ever(void);
