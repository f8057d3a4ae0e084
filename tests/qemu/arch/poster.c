/* SPDX-License-Identifier: Apache-2.0 */
/* A guest that has something for its vCPU 1, which is off, all the time. Defines: GIC;
 * POSTS: 0 for a guest that has nothing. */
#include "guest_gic.h"
#include "vcpus.h"
#include "wrong.h"

void first_main(void)
{
	interface_on(0);
	for (;;)
		if (POSTS)
			send(1, 1u << 1);
}

void second_main(uint32_t vcpu)
{
	stop_with(vcpu);
}
