/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracle of the virtual GICs of several vCPUs, each on a core of its own: steps are acts of a
 * vCPU, of a device, or of a core that takes its interrupts late, done on the hypervisor above the
 * fake GIC (cores.h) and on the model (smp_model.h), which are compared whenever every core has
 * taken what was signalled to it. A step that makes no sense at its place does nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, weight): how often it is drawn, of 128; by vCPU n, on the interrupt of `slot`. */
#define SMP_STEPS(X)                                                                               \
	X(ACK, 16)                                                                                 \
	X(EOI, 17)                                                                                 \
	X(DIR, 7)       /* of what waits for it */                                                 \
	X(LATE, 8)      /* n's core takes nothing for so many (arg) steps */                       \
	X(PUT, 5)       /* n's core has another VM's vCPU for as long */                           \
	X(SGI, 12)      /* to the vCPUs in arg */                                                  \
	X(PEND, 12)     /* ISPENDR; GICv3, private: of vCPU arg; so is the next */                 \
	X(UNPEND, 4)    /* ICPENDR */                                                              \
	X(TARGET, 10)   /* to vCPU arg, or to none; GICv3: or to any */                            \
	X(LINE_HIGH, 7) /* of an emulated device, by n's core; or of a physical SPI */             \
	X(LINE_LOW, 5)                                                                             \
	X(RAISE, 7)  /* a physical SPI becomes pending */                                          \
	X(ARRIVE, 4) /* likewise, and n's core takes it, whatever its route is */                  \
	X(ENABLE, 4)                                                                               \
	X(DISABLE, 2)                                                                              \
	X(PRIORITY, 2)                                                                             \
	X(EDGE, 1)                                                                                 \
	X(ACTIVATE, 1)                                                                             \
	X(DEACTIVATE, 1)                                                                           \
	X(DIST, 1) /* GICD_CTLR */                                                                 \
	X(READ, 2) /* any register, while cores are late */

enum smp_step_kind {
#define X(name, weight) SMP_##name,
	SMP_STEPS(X)
#undef X
};

struct smp_step {
	enum smp_step_kind kind;
	uint8_t n, slot, arg;
};

struct smp_setup {
	unsigned vcpu_count, lr_count;
	bool link_hw, split_eoi;
	/* Spoils something after each step; NULL: nothing. */
	void (*sabotage)(const struct smp_step *step);
};

struct smp_failure {
	const char *what; /* NULL: all was right */
	size_t step;
	unsigned intid;
};

/* How often something happened since the start of the program. */
struct smp_seen {
	unsigned long acks, compared;
	unsigned long late_acks;     /* by a vCPU whose core was late */
	unsigned long moved_pending; /* SPIs retargeted while pending, */
	unsigned long moved_active;  /* active, */
	unsigned long unrouted;      /* pending, for no vCPU */
	unsigned long arrived;       /* at a core that was not the target's */
	unsigned long many_sources;  /* SGIs pending from two vCPUs or more */
	unsigned long races;         /* the model did not know */
};
extern struct smp_seen smp_seen;

struct smp_failure smp_oracle(const struct smp_setup *setup, const struct smp_step *steps,
			      size_t count);

/* Makes a sequence that fails as short as it goes, in place; returns its length. */
size_t smp_shrink(const struct smp_setup *setup, struct smp_step *steps, size_t count);

void smp_print(const struct smp_setup *setup, const struct smp_step *steps, size_t count);
