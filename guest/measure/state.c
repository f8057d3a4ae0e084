/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/measure/state.h"

#include "arch/hypercall.h"
#include "arch/tlb.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/mmu.h"

static uint32_t state;
static uint32_t prepared_count;

void state_init(const struct guest_run *run)
{
	state = run->config.state;
}

/* EL2 acts first, since its operations reach more. The guest's operations come last, so that the
 * TLBs hold only the few instructions from here to the window. */
static void make_cold(void)
{
	prepared_count++;
	if (hvc(HC_ID(COLD), state, (reg_t)mmu_working_size()) != HC_OK)
		guest_refuse("the hypervisor cannot make this cold, bytes of working memory",
			     mmu_working_size());
	if (state == STATE_COLD_TLB)
		tlbi_el1_all();
}

void state_prepare(void)
{
	if (state != STATE_WARM)
		make_cold();
}

uint32_t state_prepared_count(void)
{
	return prepared_count;
}

bool state_is_cold(void)
{
	return state != STATE_WARM;
}
