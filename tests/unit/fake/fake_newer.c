/* SPDX-License-Identifier: Apache-2.0 */
/* The core of a test that has no newer.c is one of Armv8.0. */
#include "hyp/arch/cpu.h"

bool newer_is_there(void)
{
	return false;
}

void newer_save(struct newer_el1 *regs)
{
	(void)regs;
}

void newer_restore(const struct newer_el1 *regs)
{
	(void)regs;
}
