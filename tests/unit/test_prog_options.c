/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fake/fake_program.h"
#include "guest/programs/options.c"
#include "tests/unit/unit.h"

static double price_of(double spot, double strike, double rate, double volatility, double years,
		       bool put)
{
	struct option option = { spot, strike, rate, volatility, years, put };

	return price(&option);
}

/* J. Hull, "Options, Futures, and Other Derivatives", example 15.6, and the case that textbooks
 * give to six places. */
TEST(prices_are_the_textbooks)
{
	assert_near(price_of(42, 40, 0.10, 0.20, 0.5, false), 4.76, 0.005);
	assert_near(price_of(42, 40, 0.10, 0.20, 0.5, true), 0.81, 0.005);
	assert_near(price_of(100, 100, 0.05, 0.20, 1, false), 10.450584, 5e-7);
	assert_near(price_of(100, 100, 0.05, 0.20, 1, true), 5.573526, 5e-7);
}

TEST(repeats)
{
	assert_program_repeats(&prog_options);
}
