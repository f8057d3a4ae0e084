/* SPDX-License-Identifier: Apache-2.0 */
/* The GIC that a VM has: what its memory map shows of it, and what a core has of it. */
#pragma once

#include "hyp/vm/vm.h"

/* The GIC in stage 2. False: no room in the tables. */
bool vm_gic_add(struct vm *vm);

/* The GIC of this core, for its `vcpu` that begins. */
void vm_gic_reset_core(struct vcpu *vcpu);
