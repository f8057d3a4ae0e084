/* SPDX-License-Identifier: Apache-2.0 */
/* For start.S and entry.S. */
#pragma once

/* In monitor mode, SCR.NS 0: gives Non-secure state what a hypervisor needs and cannot take by
 * itself: coprocessors, the GIC's interrupts, the counter's frequency where nobody set it. */
void secure_setup(void);

/* From the vectors that hold until the hypervisor's own do. */
_Noreturn void early_exception_report(void);
