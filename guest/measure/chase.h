/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of a chase of dependent pointers: 256 loads, each at the address that the load before
 * returned.
 */
#pragma once

#include "guest/measure/sample.h"

#define CHASE_BATCH 256u /* loads in a sample: chase_256() */

/*
 * Take samples as sample_pairs() does; the first chase begins at `start`. batch=N has no meaning
 * here.
 */
void chase_samples(const struct bench_params *params, struct samples *samples, reg_t start);
