/* SPDX-License-Identifier: Apache-2.0 */
/* A VM's GIC, in its memory map and on its cores. */
#pragma once

#include "hyp/vm/vm.h"

/* Add the GIC to stage 2, or as emulated regions. Return false if the tables have no room. */
bool vm_gic_add(struct vm *vm);

/* Reset the GIC of this core: the hypervisor's own interrupts, and no vCPU's. */
void vm_gic_reset_core(const struct run_config *config);

/* Reset the virtual GIC of `vcpu`, which is attached to this core and not loaded. */
void vm_gic_reset_vcpu(struct vcpu *vcpu);

/* Do this reset in pieces of bounded length: 0, 1 and so on until one returns false. */
bool vm_gic_reset_piece(struct vcpu *vcpu, unsigned piece);

/* Handle an acknowledged physical interrupt on a core whose vCPUs do not have it: vgicd_send_on()
 * of its VM. Return false if no VM has it. */
bool vm_gic_send_on(uint32_t iar);

/* Prevent every further SPI of the VM, which is stopped. */
void vm_gic_release(const struct vm *vm);

/* Do this in pieces, like vm_gic_reset_piece(). */
bool vm_gic_release_piece(const struct vm *vm, unsigned piece);
