/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a step that exit statistics and trace cover: the whole step, unless a benchmark
 * limits it.
 */
#pragma once

#include "arch/hypercall.h"
#include "guest/kernel/fail.h"

/* Restart the counts from 0. This call is not counted. */
static inline void measure_begin(void)
{
	if (hvc(HC_ID(MEASURE), 1, 0) != HC_OK)
		guest_fail(GUEST_EXIT_REFUSED, "exit statistics cannot begin");
}

/* Stop counting until the next measure_begin(). This call is not counted. */
static inline void measure_end(void)
{
	if (hvc(HC_ID(MEASURE), 0, 0) != HC_OK)
		guest_fail(GUEST_EXIT_REFUSED, "exit statistics cannot end");
}
