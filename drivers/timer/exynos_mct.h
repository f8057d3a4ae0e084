/* SPDX-License-Identifier: Apache-2.0 */
/* Exynos multi-core timer: its free-running counter feeds the cores' CNTPCT (device tree binding
 * samsung,exynos4210-mct). */
#pragma once

#include "arch/types.h"

/* Start the free-running counter and keep its value. True: the counter runs; false: 1000 reads
 * showed no acknowledgement of the write. */
bool exynos_mct_start(uintptr_t base);
