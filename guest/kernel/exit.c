/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/exit.h"

#include "arch/hypercall.h"
#include "guest/kernel/timing.h"

void guest_exit(enum guest_exit status)
{
	timing_end();
	for (;;)
		hvc(HC_ID(EXIT), status, 0);
}
