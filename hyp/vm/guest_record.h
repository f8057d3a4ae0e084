/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of bench guests (HC_RECORD), in pieces of bounded length, and the queue that they
 * share with reports about VMs (hyp/vm/vm_report.h). First a vCPU's calls check the body. Then the
 * record waits in a queue, and the record at the head of the queue is printed by whichever vCPU
 * calls next: no vCPU waits for another one that does not run. The body stays in the guest's RAM.
 * EL2 reads each byte once more to print it, and prints a byte that is no text by then as '?', so a
 * guest that changes its body affects only its own line.
 */
#pragma once

#include "hyp/vm/vm.h"

/* Do a piece of the call of `vcpu`. Return its result: HC_OK, HC_EINVAL or HC_AGAIN. */
long guest_record_send(struct vcpu *vcpu, reg_t kind, reg_t size);

/* Print a piece of the first record of the queue. The caller holds the lock of records. Return
 * false if the queue is empty. */
bool guest_record_print(void);

/* Queue a report, whose text is complete, or print a piece of the queue. Return whether the report
 * is printed. */
bool guest_record_report(struct vm_report *report);

/* Print every record of the queue, while no guest runs: without the lock. */
void guest_record_finish(void);

/* Forget the records of a VM, none of whose vCPUs runs. The caller holds the lock of records. */
void guest_record_forget(const struct vm *vm);
