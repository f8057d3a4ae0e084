/* SPDX-License-Identifier: Apache-2.0 */
/* The GIC that a VM has: what its memory map shows of it, and what a core has of it. */
#pragma once

#include "hyp/vm/vm.h"

/* The GIC in stage 2. False: no room in the tables. */
bool vm_gic_add(struct vm *vm);

/* The GIC of this core: the hypervisor's own interrupts, and no vCPU's. */
void vm_gic_reset_core(const struct run_config *config);

/* The virtual GIC of `vcpu`, which this core has, as at reset; not loaded. */
void vm_gic_reset_vcpu(struct vcpu *vcpu);

/* No SPI of the VM, which is stopped, is signalled any more. */
void vm_gic_release(const struct vm *vm);
