/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the hostile guest. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "guest_gic.h"
#include "guest_text.h"
#include "wrong.h"

#define FLASH_BANK 0x04000000u
#define SHARED (RAM + 0x1000000u) /* not loaded, so that it survives a reset */
#define TIMER 27u
#define PHYSICAL_TIMER 30u

#define PSCI 0x84000000u
#define PSCI_64 0x40000000u
#define VERSION 0u
#define CPU_SUSPEND 1u
#define CPU_OFF 2u
#define CPU_ON 3u
#define AFFINITY_INFO 4u
#define SYSTEM_OFF 8u
#define SYSTEM_RESET 9u
#define OFF 1u /* AFFINITY_INFO */

enum figure {
	HVC,
	SMC,
	GICD_READ,
	GICD_WRITE,
	SGI,
	CNTV,
	CNTP,
	STATE, /* sum of all registers, of vCPU 0 and of each other vCPU */
	FIGURES = STATE + CPUS
};

static volatile struct {
	uint32_t step;      /* step of the plan; 0 before the first */
	uint32_t lives;     /* number of lives so far */
	uint32_t lives_due; /* lives left in this step */
	uint32_t keeper;    /* the vCPU that stays awake, so that the others may sleep */
	uint32_t kept;      /* the life in which the keeper has begun */
	uint32_t quiet, taken_at;
	uint32_t visits[CPUS], in_step[CPUS];
	uint32_t steps[CPUS]; /* number of steps in all lives */
	uint32_t seed[CPUS];
	uint32_t figure[FIGURES];
} *const shared = (void *)SHARED;

uintptr_t psci_hvc(uintptr_t id, uintptr_t a1, uintptr_t a2, uintptr_t a3);
uintptr_t psci_smc(uintptr_t id, uintptr_t a1, uintptr_t a2, uintptr_t a3);
extern char sled[];
void both_groups_on(void);
void measure(void);
uint32_t private_state(uint32_t vcpu);
void figure(uint32_t which, uint32_t repeat, uint32_t ticks);
void touch_anywhere(uint32_t vcpu);
void wander(uint32_t vcpu);

static inline void expect(bool well, uint32_t number)
{
	if (!well)
		stop_with(4 * number);
}

static inline uint32_t next(uint32_t vcpu)
{
	uint32_t seed = shared->seed[vcpu];

	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return shared->seed[vcpu] = seed;
}

static inline uint32_t below(uint32_t vcpu, uint32_t limit)
{
	return (uint32_t)((uint64_t)next(vcpu) * limit >> 32);
}

/* Return a random value, a single bit, 0 or all ones. */
static inline uint64_t value(uint32_t vcpu)
{
	switch (below(vcpu, 4)) {
	case 0:
		return (uint64_t)next(vcpu) << 32 | next(vcpu);
	case 1:
		return (uint64_t)1 << below(vcpu, 64);
	case 2:
		return 0;
	default:
		return ~(uint64_t)0;
	}
}

static inline uint32_t log2_size(uint32_t vcpu)
{
	return below(vcpu, 2) ? 2 : below(vcpu, sizeof(uintptr_t) == 8 ? 4 : 3);
}
