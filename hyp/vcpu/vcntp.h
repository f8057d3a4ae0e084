/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An emulated CNTP (cntp=emulated): three registers, a line of the virtual GIC, and a timer of the
 * core (hyp/cpu/timerq.h) for the comparison value.
 */
#pragma once

#include "arch/types.h"

struct vcpu;

enum vcntp_register { VCNTP_TVAL, VCNTP_CTL, VCNTP_CVAL }; /* by op2 of their encodings */

/* Accesses of the loaded guest (DDI 0487 D13.11, DDI 0406C B4.1): CVAL in ticks of CNTPCT; TVAL in
 * ticks from now, 32 bits, signed; of CTL, ENABLE and IMASK are writable. */
uint64_t vcntp_read(const struct vcpu *vcpu, enum vcntp_register which);
void vcntp_write(struct vcpu *vcpu, enum vcntp_register which, uint64_t value);

/* The timer expired: the line rises, at the next load where the vCPU is not loaded. vcntp_load() is
 * that load. */
void vcntp_expire(struct vcpu *vcpu);
void vcntp_load(struct vcpu *vcpu);

/* The vCPU is turned off, or begins. */
void vcntp_reset(struct vcpu *vcpu);
