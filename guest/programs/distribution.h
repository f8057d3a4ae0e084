/* SPDX-License-Identifier: Apache-2.0 */
/* Random real numbers for programs, from the generator of lib/random.h. */
#pragma once

#include <math.h>

#include "lib/random.h"

/* Return a number evenly distributed in [0, 1). */
static inline double random_unit(struct random *random)
{
	return random_next(random) * 0x1p-32;
}

/* Return a number evenly distributed in [low, high). */
static inline double random_between(struct random *random, double low, double high)
{
	return low + (high - low) * random_unit(random);
}

/* Return a normally distributed number, mean 0, deviation 1 (G. Box, M. Muller, 1958; one of the
 * two values). */
static inline double random_normal(struct random *random)
{
	double radius = sqrt(-2.0 * log(1.0 - random_unit(random)));

	return radius * cos(2.0 * 3.14159265358979323846 * random_unit(random));
}
