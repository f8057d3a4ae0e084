/* SPDX-License-Identifier: Apache-2.0 */
/* The stage 2 of a VM, and its emulated devices: built in one go before a step, or piece by piece
 * beside other VMs. */
#pragma once

#include "hyp/vm/vm.h"

/* Leaves of guest RAM that a piece maps: some thousand instructions at most. */
#define VM_PIECE_LEAVES 32u

/* Begin with an empty stage 2 and without a device. */
void vm_build_begin(struct vm *vm);

/* Do one piece. After VM_BUILD_DONE vm->built is set. */
enum vm_build vm_build_piece(struct vm *vm);

/* All pieces. False: the tables are used up. */
bool vm_build(struct vm *vm);

/* Empty the stage 2: nothing of the VM stays in its tables and in the TLBs. */
void vm_unmap_all(struct vm *vm);
