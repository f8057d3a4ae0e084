/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EL2's work for one vCPU that a guest turns on or off, or that is off and has posts: pieces of a
 * worker's turn (hyp/vm/vm_work.h). Each function runs on the core of `vcpu`, with no vCPU loaded.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

/* The vCPU turned off: reset some of its private interrupts; SPIs keep their state. Return whether
 * a piece is left. */
bool vcpu_power_reset(struct vcpu *vcpu, unsigned piece);

/* The vCPU turned on: reset the registers, so that the vCPU begins at vcpu->start_entry. */
void vcpu_power_begin(struct vcpu *vcpu);

/* The vCPU is off: process some posts. Return whether a piece is left. */
bool vcpu_power_process_posts(struct vcpu *vcpu);
