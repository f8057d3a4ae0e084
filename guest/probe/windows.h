/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The windows of the probe (guest/probe/arch/), each a function of its own. docs/design/probe.md
 * names the first and last instruction of each. Times are CNTVCT. Interrupts are masked outside of
 * them. delay: that many instructions more in the window; even, 4 at least, or 0 for a window
 * without one.
 */
#pragma once

#include "arch/types.h"

struct probe_window {
	uint64_t from, until; /* CNTVCT */
};

/* Nothing between the two reads. */
void window_empty(struct probe_window *window, reg_t delay);

/* One call by the SMC calling convention without further arguments; its answer. */
reg_t window_hvc(struct probe_window *window, reg_t delay, reg_t id);
reg_t window_smc(struct probe_window *window, reg_t delay, reg_t id);

/* One 32-bit load. */
uint32_t window_load(struct probe_window *window, reg_t delay, uintptr_t address);

/* The SGI that `value` asks for, to the interrupt vector's first instruction: written to GICD_SGIR
 * (GICv2) at `address`, or to ICC_SGI1R (GICv3). The interrupt is not acknowledged. */
void window_sgi_gicv2(struct probe_window *window, reg_t delay, uintptr_t address, uint32_t value);
void window_sgi_gicv3(struct probe_window *window, reg_t delay, uint64_t value);

/* CNTVCT as the vector's first instruction reads it, at the next interrupt; until then in a loop of
 * one branch, or asleep. The interrupt is not acknowledged. */
uint64_t wait_busy(reg_t delay);
uint64_t wait_asleep(reg_t delay);

/* Whether SMC is defined here: by one that asks for PSCI_VERSION. */
bool smc_defined(void);

/* 1, 2 or 3; on ARMv7, 1 for SVC and 2 for HYP mode. */
unsigned exception_level(void);

/* From the vectors, for an unexpected exception. `offset`: of the vector. */
void probe_crash(reg_t offset, reg_t syndrome, reg_t address) __attribute__((noreturn));
