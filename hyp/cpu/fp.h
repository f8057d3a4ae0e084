/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose FP and SIMD registers the core holds. The hypervisor itself uses none.
 *   static the measured guest's, always; another vCPU that uses them is stopped
 *   lazy   whoever used them last; another vCPU's first use of them traps, and switches them
 *   eager  the running vCPU's: switched with it, never trapped
 */
#pragma once

#include "abi/run_config.h"
#include "arch/fp_context.h"

/* For a fresh guest: its FP registers are zero, and in the core. */
void fp_start(enum fp_mode mode, struct fp_context *guest);

/* The core goes to another vCPU. */
void fp_switch(struct fp_context *to);

/* A use of FP registers trapped: they are the vCPU's on return, true. False: not with this mode. */
bool fp_first_use(struct fp_context *vcpu);

/* HC_FP_RELEASE: as though another vCPU that uses FP registers had run in between. */
void fp_release(struct fp_context *vcpu);
