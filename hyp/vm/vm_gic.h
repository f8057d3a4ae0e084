/* SPDX-License-Identifier: Apache-2.0 */
/* A VM's GIC, in its memory map and on its cores. */
#pragma once

#include "hyp/vm/vm.h"

/* Add the GIC to stage 2, or as emulated regions. False: no room in the tables. */
bool vm_gic_add(struct vm *vm);

/* The GIC of this core: the hypervisor's own interrupts, and no vCPU's. */
void vm_gic_reset_core(const struct run_config *config);

/* The virtual GIC of `vcpu`, which this core has, as at reset; not loaded. */
void vm_gic_reset_vcpu(struct vcpu *vcpu);

/* A physical interrupt was acknowledged on a core of which no vCPU has it: vgicd_send_on() of its
 * VM. False: it is no VM's. */
bool vm_gic_send_on(uint32_t iar);

/* No SPI of the VM, which is stopped, is signalled any more. */
void vm_gic_release(const struct vm *vm);
