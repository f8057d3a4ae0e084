/* SPDX-License-Identifier: Apache-2.0 */
/* The generic timer as the hypervisor uses it: the counter, and CNTHP to bound a guest. Ticks of
 * CNTFRQ; a comparison value is absolute. DDI 0487 D11, DDI 0406C B8. */
#pragma once

#include "arch/types.h"

/* True when CNTPCT moves within 1000 reads. */
bool timer_counter_advances(void);

/* CNTHP fires (INTID of the board) once CNTPCT >= cval; before, and after _stop, it does not. */
void timer_hyp_start(uint64_t cval_ticks);
void timer_hyp_move(uint64_t cval_ticks); /* after _start: change the time */
void timer_hyp_stop(void);

/* Exynos: start the free-running counter of the multi-core timer at `base`, which feeds the cores'
 * CNTPCT, and keep its value (device tree binding samsung,exynos4210-mct). False: 1000 reads showed
 * no acknowledgement of the write. */
bool exynos_mct_start(uintptr_t base);
