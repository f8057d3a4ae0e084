/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has the core: the measured guest alone (sched=null), or in turns with another vCPU.
 *
 *   what happens                    sched=rr                        sched=fp
 *   a turn ends                     the other's turn, unless it sleeps: then another turn
 *   an interrupt for who is absent  waits for its turn; it sleeps   its turn begins at once
 *                                   no longer
 *   WFI with nothing pending        the other's turn
 *
 * A turn has slice_us; each begins when the core is switched. CNTHP fires at its end, at the step's
 * time limit or at the expiry of the absent vCPU's timer (hyp/vcpu/vtimer.h), whichever is nearest;
 * with cntp=emulated also at that of the running one's CNTP (hyp/vcpu/vcntp.h).
 */
#pragma once

#include "abi/run_config.h"
#include "hyp/vcpu/vcpu.h"

/* What came of it, for the step record. */
struct sched_counts {
	uint32_t switches;    /* of the core, from one VM to the other */
	uint32_t other_turns; /* of the VM that is not measured */
};

/* `guest` begins, with the core from now on; `other` is NULL with sched=null. Times are CNTPCT. */
void sched_start(const struct run_config *config, struct vcpu *guest, struct vcpu *other,
		 uint64_t now, uint64_t limit);

/* CNTHP fired. Returns who goes on, NULL when the step is over its time limit: its VM has been
 * stopped then. */
struct vcpu *sched_timer(struct vcpu *running);

/* cntp=emulated: the running vCPU has programmed its CNTP. */
void sched_deadline_changed(void);

/* The running vCPU has nothing to do. Returns who goes on; waits for an interrupt where there is
 * nobody else. */
struct vcpu *sched_sleep(struct vcpu *running);

/* An interrupt came in for a vCPU that does not run. Returns who goes on. */
struct vcpu *sched_wake(struct vcpu *running, struct vcpu *absent);

/* The vCPU that shares the core with `running` and does not have it now; NULL: none does. */
struct vcpu *sched_absent(const struct vcpu *running);

/* The core has been switched to `to`: its turn begins. */
void sched_switched(struct vcpu *from, struct vcpu *to);

/* Whether the core holds this vCPU's registers. */
bool sched_is_running(const struct vcpu *vcpu);

/* On core 0: of what ran on `core`. */
struct sched_counts sched_counts(unsigned core);
