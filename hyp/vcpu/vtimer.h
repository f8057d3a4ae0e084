/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timers of a vCPU that the core's timer registers cannot serve: an emulated CNTP
 * (cntp=emulated); CNTV, and CNTP with cntp=passthrough, while the vCPU is not loaded. Timers of
 * the core (hyp/cpu/timerq.h) hold the comparison values and make the interrupts pending.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

/*
 * After a save of EL1's registers: start timers of the core for the vCPU's timers that may signal.
 */
void vtimer_put(struct vcpu *vcpu);

/* The vCPU is loaded: stop those timers, and raise the line of an emulated CNTP that expired. */
void vtimer_load(struct vcpu *vcpu);

/*
 * The timer with interrupt `intid` expired: give the interrupt to the guest, as if its line had
 * signalled.
 */
void vtimer_expire(struct vcpu *vcpu, unsigned intid);
void vtimer_expire_shared(struct vcpu *vcpu, unsigned intid); /* for VCPU_SHARES_PPIS */

/* Stop every timer of the vCPU. */
void vtimer_stop(struct vcpu *vcpu);

/*
 * Return CNTVOFF of a VM that starts now, for vm->cntvoff: CNTVCT is `us` microseconds less than
 * CNTPCT, but never below 0; with VTIMER_FROM_0 CNTVCT starts at 0.
 */
#define VTIMER_FROM_0 UINT32_MAX
uint64_t vtimer_offset(uint32_t us);

/* --- the emulated CNTP: three registers, a line of the virtual GIC, a timer of the core --- */

enum vcntp_register { VCNTP_TVAL, VCNTP_CTL, VCNTP_CVAL }; /* Op2 of the encodings */

/* Accesses of the loaded guest (DDI 0487 D13.11, DDI 0406C B4.1): CVAL in ticks of CNTPCT; TVAL in
 * ticks from now, 32 bits, signed; of CTL only ENABLE and IMASK are writable. */
uint64_t vcntp_read(const struct vcpu *vcpu, enum vcntp_register which);
void vcntp_write(struct vcpu *vcpu, enum vcntp_register which, uint64_t value);

/* The timer expired: raise the line, at the next load if the vCPU is not loaded. */
void vcntp_expire(struct vcpu *vcpu);

/* Reset the timer: the vCPU turns off, or begins. */
void vcntp_reset(struct vcpu *vcpu);
