/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of a chase of dependent pointers: 256 loads, each from where the last one ended. */
#pragma once

#include "guest/measure/sample.h"

#define CHASE_BATCH 256u /* loads in a sample: chase_256() */

/* Samples as sample_pairs() takes them, the first chase from `start`; batch=N means nothing. */
void chase_samples(const struct bench_params *params, struct samples *samples, reg_t start);
