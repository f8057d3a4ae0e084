/* SPDX-License-Identifier: Apache-2.0 */
/* What a run configuration means for EL2, the same on both isas. For hyp/arch/common/cpu.c. */
#pragma once

#include "abi/run_config.h"
#include "arch/types.h"
#include "hyp/vcpu/vcpu.h"

/* HCR_EL2, bits 31:0 that both isas have. */
uint32_t guest_hcr(const struct run_config *config);

/* MDCR_EL2, HDCR. */
reg_t guest_mdcr(const struct run_config *config);

/* What hyp/arch/<isa>/cpu.c has for it: the types of EL2's memory; the state in which a vCPU enters
 * its guest. */
void cpu_set_memory_types(void);
void cpu_set_entry(struct vcpu *vcpu, uintptr_t entry, reg_t argument);
