/* SPDX-License-Identifier: Apache-2.0 */
/* Is this machine in a state in which a measurement can mean anything? */
#pragma once

#include "arch/types.h"

/*
 * Checks the level, the counter, the CPU's address sizes and the GIC, in this order, and stops at
 * the first that fails. Returns NULL when all is well, else one line that says which and how.
 * Needs the UART only; *lr_count receives the number of list registers.
 */
const char *selfcheck(unsigned *lr_count);
