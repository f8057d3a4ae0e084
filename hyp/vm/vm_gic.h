/* SPDX-License-Identifier: Apache-2.0 */
/* A VM's GIC, in its memory map and on its cores. */
#pragma once

#include "hyp/vm/vm.h"

/* Add the GIC to stage 2, or as emulated regions. False: no room in the tables. */
bool vm_gic_add(struct vm *vm);

/* Reset this core's GIC for `vcpu`, which begins here. */
void vm_gic_reset_core(struct vcpu *vcpu);
