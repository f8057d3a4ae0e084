/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/sample.h"

struct samples *samples_begin(void)
{
	static struct samples samples;

	samples_reset(&samples);
	return &samples;
}

void samples_reset(struct samples *samples)
{
	histogram_init(&samples->raw);
	samples->cold = 0;
	samples->taken = 0;
	samples->backwards = 0;
	samples->prepared = state_prepared_count();
}

void samples_add(struct samples *samples, uint64_t from, uint64_t until)
{
	uint32_t index = samples->taken++;

	if (until < from)
		samples->backwards++;
	else if (index == 0)
		samples->cold = until - from;
	else
		histogram_add(&samples->raw, until - from);
}

void samples_sink(void *samples, uint64_t from, uint64_t until)
{
	samples_add(samples, from, until);
}
