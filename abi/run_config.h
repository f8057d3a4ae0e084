/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run configuration is data: what EL2 does to the guest in one plan step. The tables here are
 * the vocabulary of the plan language (lib/plan.c, docs/plans.md) and of the records.
 */
#pragma once

#include <stdint.h>

#define CONFIG_NAME_SIZE 24 /* bytes, with the terminating NUL */

/*
 * The axes: X(field, "value value …"); a field holds the index of its value in the list.
 *
 *   stage2  off, or mapped with blocks of at most this size (where alignment allows them)
 *   irq     direct:  HCR.IMO clear, the guest owns the GIC CPU interface and distributor
 *           trapped: HCR.IMO set, the hypervisor acknowledges and injects virtual interrupts
 *   lr      (trapped) hw: list registers linked to the physical interrupt, the guest's EOI
 *           deactivates it; sw: the hypervisor deactivates it on an EOI maintenance interrupt
 *   wfi     native: a guest's WFI waits in hardware; trapped: it exits and EL2 waits
 *   traps   off: SMC, ACTLR and the like are not trapped (only sensible with native); on: they are
 *   frame   light: IRQ and hypercall exits save the caller-saved registers; full: all of them
 *   stats   exit statistics;  trace  the trace ring: instrumented vectors, 0 instructions when off
 */
#define CONFIG_AXES(X)                                                                             \
	X(stage2, "off 4K 2M 1G")                                                                  \
	X(irq, "direct trapped")                                                                   \
	X(lr, "hw sw")                                                                             \
	X(wfi, "native trapped")                                                                   \
	X(traps, "off on")                                                                         \
	X(frame, "light full")                                                                     \
	X(stats, "off on")                                                                         \
	X(trace, "off on")

/* Axes that are a number: X(field, max). delay_el2: instructions spun at each entry to EL2, even
 * and not 2; it proves that a benchmark sees what happens on the exit path. */
#define CONFIG_NUMBERS(X) X(delay_el2, 65536)

enum stage2_grain { STAGE2_OFF, STAGE2_4K, STAGE2_2M, STAGE2_1G };
enum irq_mode { IRQ_DIRECT, IRQ_TRAPPED };
enum lr_kind { LR_HW, LR_SW };
enum wfi_mode { WFI_NATIVE, WFI_TRAPPED };
enum frame_kind { FRAME_LIGHT, FRAME_FULL };

struct run_config {
	char name[CONFIG_NAME_SIZE];
#define X(field, words) uint32_t field;
	CONFIG_AXES(X)
#undef X
#define X(field, max) uint32_t field;
	CONFIG_NUMBERS(X)
#undef X
};

/* The useful points of the space. X("name", designated initialisers of struct run_config). */
#define CONFIG_PRESETS(X)                                                                          \
	X("native", .stage2 = STAGE2_OFF, .irq = IRQ_DIRECT, .traps = 0)                           \
	X("direct", .stage2 = STAGE2_2M, .irq = IRQ_DIRECT, .traps = 1)                            \
	X("trapped", .stage2 = STAGE2_2M, .irq = IRQ_TRAPPED, .lr = LR_HW, .traps = 1)             \
	X("trapped-sw", .stage2 = STAGE2_2M, .irq = IRQ_TRAPPED, .lr = LR_SW, .traps = 1)
