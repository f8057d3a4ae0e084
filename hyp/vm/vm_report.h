/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EL2's records about a VM while guests run: its fault, and its restarts. They are printed in
 * pieces of bounded length, in the queue of guests' records (hyp/vm/guest_record.h). The exit that
 * stops the VM only keeps the facts: vm_fault(). A vCPU of the VM prints the record as a worker at
 * its own priority (hyp/vm/vm_work.h), so a VM that faults or restarts delays another VM no longer
 * than its guest does. At the end of a step core 0 prints what is left.
 */
#pragma once

#include "hyp/vm/vm.h"

/* Begin the record of the VM's restarts, which `vcpu` prints. */
void vm_report_restarts(struct vcpu *vcpu);

/* Do a piece of a report. Return false if the record is printed, or there is none. */
bool vm_report_piece(struct vm_report *report);

/* Print all reports and all records of guests, while no guest runs. */
void vm_report_finish(void);

const char *vm_fault_word(enum fault_reason reason);
