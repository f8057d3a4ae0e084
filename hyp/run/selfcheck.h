/* SPDX-License-Identifier: Apache-2.0 */
/* Checks at the start that this machine can give valid measurements. */
#pragma once

#include "arch/types.h"

/*
 * Check the level, the counter, the CPU's address sizes, the GIC and the guest's RAM, in this
 * order. Return NULL, or the message of the first failed check. This function needs only the UART.
 * *lr_count receives the number of list registers.
 */
const char *selfcheck(unsigned *lr_count);
