/* SPDX-License-Identifier: Apache-2.0 */
/* A guest that asks for a reset of its VM as soon as it runs. */
#include "vcpus.h"

void first_main(void)
{
	psci(SYSTEM_RESET, 0, 0, 0);
}

void second_main(void)
{
}
