/* SPDX-License-Identifier: Apache-2.0 */
/* What an empty window costs in this step. */
#pragma once

#include <stdint.h>

/* Measures it and reports it; refuses the step when it is not stable. */
void calibrate(void);

/* Its median, in ticks: the overhead of every window of two counter reads. */
uint64_t calibrate_overhead(void);
