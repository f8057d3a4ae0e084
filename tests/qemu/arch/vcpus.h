/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of guests in C, vcpus_<isa>.S: vCPU 0 begins in first_main(), each other one in
 * second_main(); and the machine that an unmodified guest finds (abi/virt.h). */
#pragma once

#include "guest_text.h"

#define SHARED 0x41000000u /* not loaded: what is there lives through a reset */

#define PSCI_VERSION 0x84000000u
#define CPU_SUSPEND 0x84000001u
#define CPU_OFF 0x84000002u
#define CPU_ON 0x84000003u
#define AFFINITY_INFO 0x84000004u
#define SYSTEM_OFF 0x84000008u
#define SYSTEM_RESET 0x84000009u
#define PSCI_WIDE ((uint32_t)(sizeof(uintptr_t) == 8) << 30) /* added: arguments of 64 bits */

uintptr_t psci(uintptr_t id, uintptr_t a1, uintptr_t a2, uintptr_t a3);
extern char second_start[];
extern char second_start_again[]; /* the same; on ARMv7 in Thumb state */

/* A random number below `limit`. */
static inline uint32_t below(uint32_t *seed, uint32_t limit)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return (uint32_t)((uint64_t)*seed * limit >> 32);
}
