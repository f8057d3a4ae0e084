/* SPDX-License-Identifier: Apache-2.0 */
/* A guest that all the time sends SGIs to its vCPU 1, which is off. Defines: GIC; POSTS: 0 for a
 * guest that sends none. */
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
