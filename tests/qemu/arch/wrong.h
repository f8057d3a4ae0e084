/* SPDX-License-Identifier: Apache-2.0 */
/* An unmodified guest reports an error by an access to the emulated distributor that no syndrome
 * describes. The access ends the VM, and the record has WRONG plus the number as its IPA. */
#pragma once

#define WRONG 0x08000000

#ifndef __ASSEMBLER__
#include <stdint.h>

static inline void access_at(uintptr_t at)
{
#ifdef __aarch64__
	__asm__ volatile("ldrb w1, [%0], #1" : "+r"(at)::"x1", "memory");
#else
	__asm__ volatile("ldrb r1, [%0], #1" : "+r"(at)::"r1", "memory");
#endif
}

/* Stop the VM with `number`, which must be below 0x10000. */
static inline void stop_with(uint32_t number)
{
	access_at(WRONG + number);
}
#endif
