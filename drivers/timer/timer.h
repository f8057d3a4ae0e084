/* SPDX-License-Identifier: Apache-2.0 */
/* The generic timer as the hypervisor uses it: the counter, and CNTHP to bound a guest. Times are
 * ticks of CNTFRQ; comparison values are absolute. DDI 0487 D11, DDI 0406C B8. */
#pragma once

#include "arch/types.h"

/* Return whether CNTPCT moves within 1000 reads. */
bool timer_counter_advances(void);

/* Make CNTHP fire (INTID of the board) once CNTPCT >= cval. CNTHP does not fire before that time,
 * nor after timer_hyp_stop(). */
void timer_hyp_start(uint64_t cval_ticks);
void timer_hyp_move(uint64_t cval_ticks); /* change the time of a started timer */
void timer_hyp_stop(void);

/* Exynos: start the free-running counter of the multi-core timer at `base`, which feeds the cores'
 * CNTPCT, and keep its value (device tree binding samsung,exynos4210-mct). Return false if 1000
 * reads showed no acknowledgement of the write. */
bool exynos_mct_start(uintptr_t base);
