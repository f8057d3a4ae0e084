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

/* The same in pieces of bounded length: 0, 1 and so on until one returns false. */
bool vm_gic_reset_piece(struct vcpu *vcpu, unsigned piece);

/* A physical interrupt was acknowledged on a core of which no vCPU has it: vgicd_send_on() of its
 * VM. False: it is no VM's. */
bool vm_gic_send_on(uint32_t iar);

/* No SPI of the VM, which is stopped, is signalled any more. */
void vm_gic_release(const struct vm *vm);

/* The same in pieces, as vm_gic_reset_piece(). */
bool vm_gic_release_piece(const struct vm *vm, unsigned piece);
