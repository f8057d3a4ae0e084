/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CNTP where a guest does not have it (cntp=emulated): its three registers are here, its interrupt
 * is a level line of the virtual GIC, and CNTHP waits for its comparison value, beside all else
 * that the core waits for (hyp/sched/sched.h).
 */
#pragma once

#include "arch/types.h"

struct vcpu;

struct vcntp {
	/* CNTPCT when its line rises; UINT64_MAX: it is not to, or is high; VCNTP_DUE: once its
	 * vCPU, which has been woken for it, has the core */
	uint64_t deadline;
	uint64_t cval; /* ticks of CNTPCT */
	uint32_t ctl;  /* ENABLE, IMASK */
	bool line;     /* as the virtual GIC has it */
};

#define VCNTP_DUE 0u /* no deadline else: a CVAL of 0 is always met */

#define VCNTP_RESET                                                                                \
	{                                                                                          \
		.deadline = UINT64_MAX                                                             \
	}

enum vcntp_register { VCNTP_CTL, VCNTP_CVAL, VCNTP_TVAL };

/* What the guest that has the core reads and writes (DDI 0487 D13.11, DDI 0406C B4.1): CVAL in
 * ticks of CNTPCT; TVAL in ticks from now, 32 bits, signed. Writes of CTL change ENABLE and
 * IMASK. */
uint64_t vcntp_read(const struct vcpu *vcpu, enum vcntp_register which);
void vcntp_write(struct vcpu *vcpu, enum vcntp_register which, uint64_t value);

/* The deadline has come, and its vCPU has the core: the line rises. */
void vcntp_expire(struct vcpu *vcpu);

/* Its vCPU is turned off, and begins with VCNTP_RESET when it is on again. */
void vcntp_stop(struct vcpu *vcpu);
