/* SPDX-License-Identifier: Apache-2.0 */
/* What a core does: run its vCPUs, and between them what others ask of it. */
#pragma once

#include "arch/types.h"

/* Until over() is true, asked whenever no vCPU is loaded. */
void core_loop(bool (*over)(void));

/* The loop of the cores beside core 0. */
_Noreturn void core_loop_for_ever(void);
