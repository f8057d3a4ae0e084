/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/sched/sched.h"

#include "arch/barrier.h"
#include "arch/counter.h"
#include "drivers/timer/timer.h"
#include "hyp/base/clock.h"
#include "hyp/cpu/percpu.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vm.h"
#include "lib/compiler.h"
#include "lib/percpu.h"

#define SLICE_US 1000u /* where the configuration says 0 */
#define US_PER_S 1000000u

static struct {
	enum sched_kind kind;
	struct vcpu *guest, *other, *running;
	uint64_t slice_ticks;
	uint64_t turn_end, limit;
	uint64_t timer_at; /* expiry of the absent vCPU's timer; 0: of one of several, or past */
	bool emulates_cntp;
	struct sched_counts counts;
} sched PERCPU;

struct vcpu *sched_absent(const struct vcpu *running)
{
	return running == sched.guest ? sched.other : sched.guest;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The same where CNTP has a say: the absent vCPU's, which wakes it once; with cntp=emulated that of
 * who has the core, too, which may be overdue. */
static __attribute__((noinline)) void arm_with_cntp(const struct vcpu *absent, uint64_t next)
{
	struct vcpu *running = sched.running;

	if (absent) {
		next = earlier(next, vtimer_physical_deadline(absent));
		if (absent->cntp.deadline != VCNTP_DUE)
			next = earlier(next, absent->cntp.deadline);
		sched.timer_at = 0;
	}
	if (read_cntpct_el0() >= running->cntp.deadline)
		vcntp_expire(running);
	timer_hyp_start(earlier(next, running->cntp.deadline));
}

/* CNTHP to the next thing that is due. */
static void arm(const struct vcpu *absent)
{
	reg_t cntp_too = sched.emulates_cntp;
	uint64_t next = sched.limit;

	if (absent) {
		sched.timer_at = vtimer_deadline(absent);
		next = earlier(next, earlier(sched.turn_end, sched.timer_at));
		cntp_too |= absent->el1.cntp_ctl_el0;
	}
	if (cntp_too & 1)
		arm_with_cntp(absent, next);
	else
		timer_hyp_start(next);
}

void sched_deadline_changed(void)
{
	arm(sched_absent(sched.running));
}

void sched_start(const struct run_config *config, struct vcpu *guest, struct vcpu *other,
		 uint64_t now, uint64_t limit)
{
	uint32_t slice_us = config->slice_us ? config->slice_us : SLICE_US;

	sched.kind = (enum sched_kind)config->sched;
	sched.guest = sched.running = guest;
	sched.other = other;
	sched.slice_ticks = (uint64_t)clock_hz() * slice_us / US_PER_S;
	sched.turn_end = now + sched.slice_ticks;
	sched.limit = limit;
	sched.timer_at = UINT64_MAX;
	sched.emulates_cntp = config->cntp == CNTP_EMULATED;
	sched.counts = (struct sched_counts){ 0 };
	guest->asleep = false;
	timer_hyp_start(other ? earlier(limit, sched.turn_end) : limit);
}

void sched_switched(struct vcpu *from, struct vcpu *to)
{
	sched.running = to;
	sched.turn_end = counter_read() + sched.slice_ticks;
	sched.counts.switches++;
	sched.counts.other_turns += to == sched.other;
	to->asleep = false;
	arm(from);
}

/* Who is woken runs at once with priority, and in its turn else. Where nobody is switched in, what
 * CNTHP waited for is over: it is set anew. */
struct vcpu *sched_wake(struct vcpu *running, struct vcpu *absent)
{
	absent->asleep = false;
	if (sched.kind == SCHED_FP)
		return absent;
	arm(absent);
	return running;
}

static struct vcpu *end_turn(struct vcpu *running, struct vcpu *absent)
{
	if (!absent->asleep)
		return absent;
	sched.turn_end += sched.slice_ticks;
	arm(absent);
	return running;
}

static __cold struct vcpu *alone_or_over(struct vcpu *running, uint64_t now)
{
	if (now < sched.limit) { /* cntp=emulated */
		arm(NULL);
		return running;
	}
	vm_fault(sched.guest, FAULT_TIME_LIMIT, 0, 0, 0);
	return NULL;
}

/* What a turn's end is to, when `now` is no expiry, or the one of a timer that woke nobody. */
static struct vcpu *if_turn_ends(struct vcpu *running, struct vcpu *absent, uint64_t now)
{
	return now >= sched.turn_end ? end_turn(running, absent) : running;
}

/* CNTP has a say. Whether CNTHP fired for the running vCPU's or for something else: arm() looks. */
static __attribute__((noinline)) struct vcpu *timer_with_cntp(struct vcpu *running,
							      struct vcpu *absent, uint64_t now)
{
	struct vcpu *next = running;

	if (vtimer_expire_which(absent, now))
		next = sched_wake(running, absent);
	if (next == running)
		next = if_turn_ends(running, absent, now);
	if (next == running)
		arm(absent);
	return next;
}

/* Not inlined: what calls it also has paths to keep short. */
__attribute__((noinline)) struct vcpu *sched_timer(struct vcpu *running)
{
	uint64_t now = counter_read();
	struct vcpu *absent = sched_absent(running);

	if (!absent || now >= sched.limit)
		return alone_or_over(running, now);
	if (now >= sched.timer_at) {
		if (!sched.timer_at)
			return timer_with_cntp(running, absent, now);
		vtimer_expire(absent);
		if (sched_wake(running, absent) == absent)
			return absent;
	}
	return if_turn_ends(running, absent, now);
}

/* With nobody else to run, EL2 waits in the guest's place. A physical interrupt ends the wait
 * though it is masked here, and is taken once the guest resumes. A virtual interrupt that is
 * pending would not end it, so nobody sleeps who has one. */
struct vcpu *sched_sleep(struct vcpu *running)
{
	struct vcpu *absent = sched_absent(running);

	if (!absent || absent->asleep) {
		wfi();
		return running;
	}
	running->asleep = true;
	return absent;
}

bool sched_is_running(const struct vcpu *vcpu)
{
	return vcpu == sched.running;
}

struct sched_counts sched_counts(unsigned core)
{
	const __typeof__(sched) *there = percpu_of(&sched, core);

	return there->counts;
}
