/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fault record of a VM, in pieces of bounded length. The exit that stops the VM only keeps the
 * facts: vm_fault(). The vCPU of the fault prints the record as a worker at its own priority
 * (hyp/vm/vm_work.h), so the fault of one VM delays another VM no longer than its guest did. At the
 * end of a step core 0 prints what is left.
 */
#pragma once

#include "hyp/vm/vm.h"

/* Do a piece of the VM's fault record. Return false if the record is printed, or there is none. */
bool fault_record_piece(struct vm *vm);

/* Print all fault records and all records of guests, while no guest runs. */
void fault_record_finish(void);

const char *fault_record_word(enum fault_reason reason);
