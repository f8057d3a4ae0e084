/* SPDX-License-Identifier: Apache-2.0 */
/* For start.S and entry.S. */
#pragma once

/* In monitor mode, SCR.NS 0: grants Non-secure state the coprocessors and the GIC's interrupts, and
 * sets the counter's frequency where it is 0. */
void secure_setup(void);

/* early_vectors call this. */
_Noreturn void early_exception_report(void);
