/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/arch/guest_control.h"

#include "arch/barrier.h"
#include "arch/hcr.h"
#include "arch/sysreg.h"
#include "hyp/arch/cpu.h"
#include "hyp/arch/vectors.h"

reg_t vector_delay;

void cpu_use_vectors(const struct run_config *config)
{
	static const char *const table[2][2][2] = {
		{ { vectors, vectors_full }, { vectors_instrumented, vectors_full_instrumented } },
		{ { vectors_delayed, vectors_full_delayed },
		  { vectors_instrumented_delayed, vectors_full_instrumented_delayed } },
	};
	bool delayed = config->delay_el2 != 0;
	bool instrumented = config->stats || config->trace;
	bool full = config->frame == FRAME_FULL;

	vector_delay = config->delay_el2 - 2;
	write_vbar_el2((uintptr_t)table[delayed][instrumented][full]);
	isb();
}

uint32_t guest_hcr(const struct run_config *config)
{
	uint32_t hcr = 0;

	if (config->stage2 != STAGE2_OFF)
		hcr |= HCR_VM | HCR_SWIO | HCR_PTW | HCR_FB | HCR_BSU_IS;
	if (config->irq == IRQ_TRAPPED)
		hcr |= HCR_IMO | HCR_FMO;
	if (config->traps)
		hcr |= HCR_AMO | HCR_TSC | HCR_TAC | HCR_TIDCP;
	if (config->wfi == WFI_TRAPPED || config->sched != SCHED_NULL)
		hcr |= HCR_TWI;
	return hcr;
}
