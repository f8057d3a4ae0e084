/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices of European options by the closed formula (F. Black, M. Scholes, "The Pricing of Options
 * and Corporate Liabilities", 1973): floating point with logarithms and exponentials, and little
 * memory.
 * Proof: tests/qemu/test_programs.py.
 */
#include <math.h>

#include "guest/measure/program.h"
#include "guest/programs/distribution.h"
#include "lib/crc32.h"

#define OPTION_COUNT 2000u

struct option {
	double spot, strike;
	double rate;       /* interest a year, continuously compounded */
	double volatility; /* volatility of a year */
	double years;
	bool put;
};

static struct option *portfolio;
static double *prices;

/* Return the standard normal distribution function at x. */
static double normal_below(double x)
{
	return 0.5 * erfc(-x * 0.70710678118654752440);
}

static double price(const struct option *o)
{
	double deviation = o->volatility * sqrt(o->years);
	double drift = (o->rate + 0.5 * o->volatility * o->volatility) * o->years;
	double d1 = (log(o->spot / o->strike) + drift) / deviation;
	double d2 = d1 - deviation;
	double strike_now = o->strike * exp(-o->rate * o->years);

	if (o->put)
		return strike_now * normal_below(-d2) - o->spot * normal_below(-d1);
	return o->spot * normal_below(d1) - strike_now * normal_below(d2);
}

static void options_prepare(uint32_t seed)
{
	struct random random;

	random_init(&random, seed, 1);
	portfolio = program_alloc(OPTION_COUNT * sizeof(*portfolio));
	prices = program_alloc(OPTION_COUNT * sizeof(*prices));
	for (unsigned i = 0; i < OPTION_COUNT; i++)
		portfolio[i] = (struct option){
			.spot = random_between(&random, 50, 150),
			.strike = random_between(&random, 50, 150),
			.rate = random_between(&random, 0, 0.1),
			.volatility = random_between(&random, 0.05, 0.6),
			.years = random_between(&random, 0.1, 2),
			.put = random_below(&random, 2),
		};
}

static void options_run(void)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++)
		prices[i] = price(&portfolio[i]);
}

static uint32_t options_checksum(void)
{
	return crc32_update(0, prices, OPTION_COUNT * sizeof(*prices));
}

static const struct program prog_options = {
	.ticks = true,
	.prepare = options_prepare,
	.run = options_run,
	.checksum = options_checksum,
};
PROGRAM(prog_options);
