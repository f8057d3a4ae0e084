/* SPDX-License-Identifier: Apache-2.0 */
/* Exynos multi-core timer: its free-running counter feeds the cores' CNTPCT (facts of the device
 * tree binding samsung,exynos4210-mct). */
#pragma once

#include "arch/types.h"

/* Lets the free-running counter run; its value is left alone. True when it was started, or ran
 * already; false when the write was not acknowledged within 1000 reads. */
bool exynos_mct_start(uintptr_t base);
