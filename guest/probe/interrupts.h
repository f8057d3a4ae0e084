/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's interrupts, its error message, and the common parts of its windows. */
#pragma once

#include "guest/probe/machine.h"

#define VIRT_TIMER_INTID 27u
#define SGI_ID 1u
#define SAMPLES_MAX 1000u

/* CNTV_CTL (DDI 0487 D13.11.17) */
#define VTIMER_ENABLE 1u
#define VTIMER_ISTATUS 4u

/* The arguments of the probe. */
struct probe_run {
	struct machine machine;
	reg_t delay;      /* instructions before each closing read */
	uint32_t samples; /* samples of each path, without the first */
};

/* Call this function before all others of this header. */
void interrupts_init(const struct machine *machine);

/* Reset the GIC and enable the SGI and the virtual timer's interrupt. */
void gic_start(void);

/* Acknowledge an interrupt. An INTID other than `expected` ends the run with an error. */
uint32_t acknowledge(unsigned expected);

/* Disable the virtual timer, which lowers its line, and end its interrupt. */
void timer_end(uint32_t iar);

/* Print an error and end the run. */
void fail(const char *what, uint64_t value) __attribute__((noreturn));
