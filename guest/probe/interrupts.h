/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's interrupts, its output of an error, and what its windows have in common. */
#pragma once

#include "guest/probe/machine.h"

#define VIRT_TIMER_INTID 27u
#define SGI_ID 1u
#define SAMPLES_MAX 1000u

/* CNTV_CTL (DDI 0487 D13.11.17) */
#define VTIMER_ENABLE 1u
#define VTIMER_ISTATUS 4u

/* What the arguments ask for. */
struct probe_run {
	struct machine machine;
	reg_t delay;      /* instructions before each closing read */
	uint32_t samples; /* of each path, without the first */
};

/* Call this function before all others of this header. */
void interrupts_init(const struct machine *machine);

/* Reset the GIC and enable the SGI and the virtual timer's interrupt. */
void gic_start(void);

/* Acknowledge an interrupt. Another INTID than `expected` ends the run with an error. */
uint32_t acknowledge(unsigned expected);

/* Disable the virtual timer, whose line drops, and end its interrupt. */
void timer_end(uint32_t iar);

/* Print an error and end. */
void fail(const char *what, uint64_t value) __attribute__((noreturn));
