/* SPDX-License-Identifier: Apache-2.0 */
/* Guests in C, whose kernel is vcpus_<isa>.S: vCPU 0 begins in first_main(), each other vCPU in
 * second_main(). The machine is that which an unmodified guest finds (abi/virt.h). */
#pragma once

#include "guest_text.h"

#define SHARED 0x41000000u /* not loaded, so that it survives a reset */

#define PSCI_VERSION 0x84000000u
#define CPU_SUSPEND 0x84000001u
#define CPU_OFF 0x84000002u
#define CPU_ON 0x84000003u
#define AFFINITY_INFO 0x84000004u
#define SYSTEM_OFF 0x84000008u
#define SYSTEM_RESET 0x84000009u
#define PSCI_WIDE ((uint32_t)(sizeof(uintptr_t) == 8) << 30) /* added to an id: 64-bit arguments */

uintptr_t psci(uintptr_t id, uintptr_t a1, uintptr_t a2, uintptr_t a3);
extern char second_start[];
extern char second_start_again[]; /* as second_start, but on ARMv7 in Thumb state */

/* Return a random number below `limit`. */
static inline uint32_t below(uint32_t *seed, uint32_t limit)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return (uint32_t)((uint64_t)*seed * limit >> 32);
}
