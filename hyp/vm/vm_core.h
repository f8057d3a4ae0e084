/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core's part in the life of its vCPUs. Each function runs on the core itself, with no vCPU
 * loaded: called there by life.c through smp_call(), or by the core's loop (hyp/run/core_loop.c).
 */
#pragma once

#include "hyp/vm/vm.h"

/* The core begins anew under `config`, a struct run_config: no vCPU, GIC and FP registers as at
 * reset. */
void vm_core_reset(void *config);

/* `vcpu` is this core's, off and as at reset; is no longer, whatever its state. */
void vm_core_attach(void *vcpu);
void vm_core_detach(void *vcpu);

/* `vcpu` is scheduled no longer, unless it is off; is again. */
void vm_core_pause(void *vcpu);
void vm_core_resume(void *vcpu);

/* `vcpu`, which is loaded, has turned itself off. */
void vm_core_off(struct vcpu *vcpu);

/* The vCPU of this core, off ones too, that has the physical interrupt `intid`; NULL: none. */
struct vcpu *vm_core_owner(unsigned intid);

/* Start or stop this core's vCPUs as other cores asked: a stop is the end of the VM. */
void vm_core_process(void);
