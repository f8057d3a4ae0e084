/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The background VM: with sched=rr or fp it shares the core with the measured guest. It
 * counts in an endless loop, from one page of code of our own image (hyp/arch/<isa>/background.S),
 * and has nothing else: no memory to write, no interrupt, and no device but its CPU interface. It
 * writes every register of EL1 that a VM has of its own, priority mask and active priorities of the
 * CPU interface, and all FP registers unless the configuration says fp=static, so that whatever a
 * switch forgets is seen in the measured guest.
 */
#pragma once

#include "abi/plan.h"
#include "hyp/vcpu/vcpu.h"

#define BACKGROUND_VMID 3u /* the measured guest has 1, and its other one */

/*
 * Ready for its first turn, saved, with the name and the priority that `plan` says. Leaves its
 * stage 2 and its EL1 registers in the core: the measured guest's come after. The background VM has
 * the core of vCPU 0 of `measured`. It reads no virtual counter and its CNTV is masked: the CNTVOFF
 * of the other is right for it.
 */
struct vcpu *background_prepare(const struct vm *measured, const struct plan_vm *plan);

/* How often it went round its loop; it must not have the core. */
uint32_t background_rounds(void);
