/* SPDX-License-Identifier: Apache-2.0 */
/* A load of instructions without memory accesses and exits. */
#include "arch/delay.h"
#include "guest/loads/load.h"

static void load_cpu_round(uintptr_t piece)
{
	(void)piece;
	delay_instructions(100);
}

static const struct load load_cpu = { .beside = "load_cpu", .round = load_cpu_round };
LOAD(load_cpu);
