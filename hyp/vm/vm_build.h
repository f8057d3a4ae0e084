/* SPDX-License-Identifier: Apache-2.0 */
/* The stage 2 of a VM and its emulated devices, built at once before a step, or piece by piece
 * beside other VMs. */
#pragma once

#include "hyp/vm/vm.h"

/* Leaves of guest RAM that a piece maps: at most some thousand instructions. */
#define VM_PIECE_LEAVES 32u

/* Begin with an empty stage 2 and without devices. */
void vm_build_begin(struct vm *vm);

/* Do one piece. After VM_BUILD_DONE vm->built is set. */
enum vm_build vm_build_piece(struct vm *vm);

/* Do all pieces. Return false if no page is free for a table. */
bool vm_build(struct vm *vm);

/* Empty the stage 2: neither its tables nor the TLBs hold anything of the VM afterwards. */
void vm_unmap_all(struct vm *vm);
