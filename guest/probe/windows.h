/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The windows of the probe (guest/probe/arch/), each in a function of its own. docs/design/probe.md
 * names the first and last instruction of each. Times are CNTVCT. Interrupts are masked outside of
 * the windows. `delay` adds that many instructions to the window: an even number, 4 at least, or 0
 * for the window without a delay.
 */
#pragma once

#include "arch/types.h"

struct probe_window {
	uint64_t from, until; /* CNTVCT */
};

/* Take a window with nothing between its two reads. */
void window_empty(struct probe_window *window, reg_t delay);

/* A call's registers: x0 to x3 and x16, on ARMv7 r0 to r3 and r12. */
struct probe_call {
	reg_t argument[4];
	reg_t number;
};

/* Make one call and return its first result register. */
reg_t window_hvc(struct probe_window *window, reg_t delay, const struct probe_call *call);
reg_t window_smc(struct probe_window *window, reg_t delay, const struct probe_call *call);

/* Call by the HVC whose immediate patch_calls() wrote. */
reg_t window_named(struct probe_window *window, reg_t delay, const struct probe_call *call);
extern uint32_t named_call_start[], named_call_end[];

/* Do one 32-bit load. */
uint32_t window_load(struct probe_window *window, reg_t delay, uintptr_t address);

/* Send the SGI `value`; the window ends at the interrupt vector's first instruction. The SGI is
 * written to GICD_SGIR (GICv2) at `address`, or to ICC_SGI1R (GICv3). The interrupt is not
 * acknowledged. Both reads are 0 if no interrupt came in 2^25 turns. */
void window_sgi_gicv2(struct probe_window *window, reg_t delay, uintptr_t address, uint32_t value);
void window_sgi_gicv3(struct probe_window *window, reg_t delay, uint64_t value);

/* Wait for the next interrupt, in a loop of two instructions or asleep. Return CNTVCT as the
 * vector's first instruction reads it, or 0 if no interrupt came in 2^25 turns. The interrupt is
 * not acknowledged. */
uint64_t wait_busy(reg_t delay);
uint64_t wait_asleep(reg_t delay);

/*
 * Windows of two VMs on one core, by CNTPCT. A yield is one HVC, with or without an FP instruction
 * after its return. A sleep is a WFI with interrupts masked; it writes only `until`. The FP
 * functions need fp_enable().
 */
reg_t window_yield(struct probe_window *window, reg_t delay, const struct probe_call *call);
reg_t window_yield_fp(struct probe_window *window, reg_t delay, const struct probe_call *call);
extern uint32_t yield_call_start[], yield_call_end[];
void window_sleep(struct probe_window *window, reg_t delay);

/* The low 32 bits of two reads of CNTPCT. */
struct probe_stamps {
	uint32_t from, until;
};

/* Read CNTPCT in a loop until `end`, or until `room` stamps are stored. Store both of two
 * successive reads that are `gap` ticks or more apart. Return the number of pairs. */
unsigned busy_until(struct probe_stamps *stamps, uint32_t room, uint32_t end, uint32_t gap);
unsigned busy_fp_until(struct probe_stamps *stamps, uint32_t room, uint32_t end, uint32_t gap);

/* Enable FP registers and use one. */
void fp_enable(void);

/* Call a function. Return false if one of its instructions was undefined or one of its loads or
 * stores aborted; the function ends there. */
bool attempt(void (*function)(void *argument), void *argument);

/* Return 1, 2 or 3; on ARMv7 1 for SVC and 2 for HYP mode. */
unsigned exception_level(void);

/* The vectors call this function for an unexpected exception. `offset` is the vector's. */
void probe_crash(reg_t offset, reg_t syndrome, reg_t address) __attribute__((noreturn));
