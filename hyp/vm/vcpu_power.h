/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What EL2 does for one vCPU that a guest turns on or off, or that is off and has posts: pieces of
 * a worker's turn (hyp/vm/vm_work.h). Each runs on the core of `vcpu`, with no vCPU loaded.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

/* Turned off: reset some of the private interrupts; SPIs keep their state. Return whether a piece
 * is left. */
bool vcpu_power_reset(struct vcpu *vcpu, unsigned piece);

/* Turned on: reset the registers, so that the vCPU begins at vcpu->start_entry. */
void vcpu_power_begin(struct vcpu *vcpu);

/* Off: process some posts. Return whether a piece is left. */
bool vcpu_power_process_posts(struct vcpu *vcpu);
