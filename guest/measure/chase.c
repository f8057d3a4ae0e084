/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/measure/chase.h"

/* Each form has a function of its own: its registers then suffice, and no move enters a window. The
 * compiler also does not know the length of these 256 instructions, so constants of AArch32 could
 * be out of reach. */
#define CHASE(name, form)                                                                          \
	static __attribute__((noinline)) void name(const struct bench_params *params,              \
						   struct samples *samples, reg_t start)           \
	{                                                                                          \
		sample_singles(form, params, samples, sample_nothing, 0, chase_256, start);        \
	}
CHASE(chase_plain, FORM_PLAIN)
CHASE(chase_delayed, FORM_DELAYED)
CHASE(chase_cycles, FORM_CYCLES)
CHASE(chase_events, FORM_EVENTS)

void chase_samples(const struct bench_params *params, struct samples *samples, reg_t start)
{
	switch (sample_form_single(params)) {
	case FORM_CYCLES:
		chase_cycles(params, samples, start);
		break;
	case FORM_EVENTS:
		chase_events(params, samples, start);
		break;
	case FORM_DELAYED:
		chase_delayed(params, samples, start);
		break;
	default:
		chase_plain(params, samples, start);
	}
}
