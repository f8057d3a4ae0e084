/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CNTP where a guest does not have it (cntp=emulated): its three registers are here, its interrupt
 * is a level line of the virtual GIC, and a timer of the core (hyp/cpu/timerq.h) has its comparison
 * value.
 */
#pragma once

#include "arch/types.h"

struct vcpu;

enum vcntp_register { VCNTP_TVAL, VCNTP_CTL, VCNTP_CVAL }; /* by op2 of their encodings */

/* What the guest that has the core reads and writes (DDI 0487 D13.11, DDI 0406C B4.1): CVAL in
 * ticks of CNTPCT; TVAL in ticks from now, 32 bits, signed. Writes of CTL change ENABLE and
 * IMASK. */
uint64_t vcntp_read(const struct vcpu *vcpu, enum vcntp_register which);
void vcntp_write(struct vcpu *vcpu, enum vcntp_register which, uint64_t value);

/* The timer is due: the line rises, or will when the vCPU is loaded; and it is loaded. */
void vcntp_expire(struct vcpu *vcpu);
void vcntp_load(struct vcpu *vcpu);

/* The vCPU is turned off, or begins: as at reset, the line low. */
void vcntp_reset(struct vcpu *vcpu);
