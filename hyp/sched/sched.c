/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/sched/sched.h"

#include "arch/barrier.h"
#include "arch/counter.h"
#include "boards/board.h"
#include "hyp/base/clock.h"
#include "hyp/vcpu/vtimer.h"
#include "lib/compiler.h"
#include "lib/percpu.h"

#define SLICE_US 1000u /* the slice if the configuration says 0 */
#define US_PER_S 1000000u

/* A switch reads the first members. */
static struct {
	/* the vCPU that has the core, or gets it when this exit ends; NULL: none */
	struct vcpu *running;
	struct vcpu *ready; /* ready vCPUs, the most urgent first, by next_ready */
	struct timer slice;
	struct vcpu *vcpus; /* vCPUs of this core, by next_of_core */
	/* fp: the urgency of a vCPU is its priority; else all have the same urgency */
	bool by_priority;
	bool slices;        /* rr, fp: vCPUs of equal urgency take turns */
	uint64_t slice_end; /* the timer may expire earlier, and is then started again */
	uint64_t slice_ticks;
	uint8_t load_work; /* load work of each vCPU */
} sched PERCPU_HOT_LAST;

/* --- the run queue --- */

static void push(struct vcpu **link, struct vcpu *vcpu)
{
	vcpu->state = VCPU_STATE_READY;
	vcpu->next_ready = *link;
	*link = vcpu;
}

/* Insert at `link` or later, after the vCPUs of equal urgency. */
static inline void queue(struct vcpu **link, struct vcpu *vcpu)
{
	/* bound: CORE_VCPUS */
	while (*link && (*link)->urgency >= vcpu->urgency)
		link = &(*link)->next_ready;
	push(link, vcpu);
}

static struct vcpu *pick(void)
{
	struct vcpu *first = sched.ready;

	if (first)
		sched.ready = first->next_ready;
	return first;
}

/* --- the core --- */

static __cold struct vcpu *start_slice(struct vcpu *vcpu)
{
	timerq_start(&sched.slice, sched.slice_end);
	return vcpu;
}

static __cold struct vcpu *stop_slice(struct vcpu *vcpu)
{
	timerq_stop(&sched.slice);
	return vcpu;
}

/* Run `vcpu` with a new slice. The slice begins now, even if the last slice ended late, so that a
 * timer with a later deadline also has its turn. */
static inline __attribute__((always_inline)) struct vcpu *run(struct vcpu *vcpu)
{
	bool queued = timer_is_queued(&sched.slice);

	sched.running = vcpu;
	vcpu->state = VCPU_STATE_RUNNING;
	if (!vcpu->sliced)
		return queued ? stop_slice(vcpu) : vcpu;
	sched.slice_end = read_cntpct_el0() + sched.slice_ticks;
	return queued ? vcpu : start_slice(vcpu);
}

static inline __attribute__((always_inline)) struct vcpu *switch_to(struct vcpu *vcpu)
{
	vcpu->turns++;
	return run(vcpu);
}

/* Return the next vCPU of equal urgency, or the running one. */
static inline struct vcpu *next_turn(struct vcpu *running)
{
	struct vcpu *next = sched.ready;

	if (!next || next->urgency != running->urgency)
		return running;
	queue(&next->next_ready, running);
	sched.ready = next->next_ready;
	next->turns++;
	return next;
}

struct vcpu *sched_yield_turn(struct vcpu *running)
{
	return run(next_turn(running));
}

static void slice_ended(struct timer *slice)
{
	if (slice->deadline == sched.slice_end)
		sched_yield_turn(sched.running);
	else
		timerq_start(slice, sched.slice_end);
}

/* Queue a preempted vCPU before others of equal urgency. */
static inline __attribute__((always_inline)) void make_ready(struct vcpu *vcpu)
{
	struct vcpu *running = sched.running;

	if (running && vcpu->urgency > running->urgency) {
		push(&sched.ready, running);
		switch_to(vcpu);
	} else {
		queue(&sched.ready, vcpu);
	}
}

void sched_wake(struct vcpu *vcpu)
{
	if (vcpu->state == VCPU_STATE_BLOCKED)
		make_ready(vcpu);
}

static bool is_woken(const struct vcpu *vcpu)
{
	return vcpu->vgic.posted.kinds && vcpu->state == VCPU_STATE_BLOCKED;
}

/* Wake blocked vCPUs with posts. Only the most urgent vCPU may preempt the running one, so the core
 * switches at most once. A more urgent vCPU that another core posts to meanwhile waits for its own
 * kick. */
bool sched_wake_posted(void)
{
	struct vcpu *first = NULL;

	/* bound: CORE_VCPUS */
	for (struct vcpu *vcpu = sched.vcpus; vcpu; vcpu = vcpu->next_of_core)
		if (is_woken(vcpu) && (!first || vcpu->urgency > first->urgency))
			first = vcpu;
	if (!first)
		return false;
	make_ready(first);
	/* bound: CORE_VCPUS */
	for (struct vcpu *vcpu = sched.vcpus; vcpu; vcpu = vcpu->next_of_core)
		if (is_woken(vcpu) && vcpu->urgency <= first->urgency)
			queue(&sched.ready, vcpu);
	return true;
}

/* Block the running vCPU. If no vCPU is ready, EL2 waits in the guest's place. A physical interrupt
 * ends the wait although it is masked here, and comes once the guest resumes. A pending virtual
 * interrupt would not end the wait, so no vCPU that has one blocks. */
struct vcpu *sched_block(struct vcpu *running)
{
	struct vcpu *next = pick();

	if (!next) {
		wfi();
		return running;
	}
	running->state = VCPU_STATE_BLOCKED;
	return switch_to(next);
}

struct vcpu *sched_next(void)
{
	return sched.running;
}

/* --- timers of vCPUs --- */

#define VCPU_OF(timer, member) ((struct vcpu *)((char *)(timer)-offsetof(struct vcpu, member)))

static void virtual_due(struct timer *timer)
{
	struct vcpu *vcpu = VCPU_OF(timer, virtual_timer);

	vtimer_expire(vcpu, board.virt_timer_intid);
	if (vcpu->state == VCPU_STATE_BLOCKED)
		make_ready(vcpu);
}

static void physical_due(struct timer *timer)
{
	struct vcpu *vcpu = VCPU_OF(timer, physical_timer);

	vtimer_expire(vcpu, board.phys_timer_intid);
	sched_wake(vcpu);
}

static __attribute__((flatten)) void virtual_due_shared(struct timer *timer)
{
	vtimer_expire_shared(VCPU_OF(timer, virtual_timer), board.virt_timer_intid);
	sched_wake(VCPU_OF(timer, virtual_timer));
}

static void physical_due_shared(struct timer *timer)
{
	vtimer_expire_shared(VCPU_OF(timer, physical_timer), board.phys_timer_intid);
	sched_wake(VCPU_OF(timer, physical_timer));
}

static void emulated_due(struct timer *timer)
{
	struct vcpu *vcpu = VCPU_OF(timer, cntp.timer);

	vcntp_expire(vcpu);
	sched_wake(vcpu);
}

/* --- the core's list of vCPUs --- */

void sched_reset(const struct run_config *config)
{
	uint32_t slice_us = config->slice_us ? config->slice_us : SLICE_US;

	timerq_stop(&sched.slice);
	sched.slice.function = slice_ended;
	sched.by_priority = config->sched == SCHED_FP;
	sched.slices = config->sched != SCHED_NULL;
	sched.slice_ticks = (uint64_t)clock_hz() * slice_us / US_PER_S;
	sched.running = sched.ready = sched.vcpus = NULL;
	sched.load_work = vcpu_find_auxiliary();
}

void sched_compare(void)
{
	bool differs = false;
	unsigned with_ppis = 0;
	unsigned work;

	/* bound: CORE_VCPUS */
	for (struct vcpu *vcpu = sched.vcpus; vcpu; vcpu = vcpu->next_of_core) {
		differs |= !vcpu_same_el2(vcpu, sched.vcpus);
		with_ppis += vcpu->vgic.routed[0] != 0;
	}
	work = (with_ppis > 1 ? VCPU_SHARES_PPIS : 0) | (differs ? VCPU_DIFFERS : 0);
	/* bound: CORE_VCPUS */
	for (struct vcpu *vcpu = sched.vcpus; vcpu; vcpu = vcpu->next_of_core) {
		vcpu->load_work |= (uint8_t)work;
		if (!(work & VCPU_SHARES_PPIS))
			continue;
		vcpu->virtual_timer.function = virtual_due_shared;
		vcpu->physical_timer.function = physical_due_shared;
	}
}

static void add(struct vcpu *vcpu)
{
	vcpu->urgency = sched.by_priority ? vcpu->priority : 0;
	vcpu->sliced = false;
	/* bound: CORE_VCPUS */
	for (struct vcpu *other = sched.vcpus; other; other = other->next_of_core)
		if (sched.slices && other->urgency == vcpu->urgency)
			other->sliced = vcpu->sliced = true;
	vcpu->next_of_core = sched.vcpus;
	sched.vcpus = vcpu;
	sched_compare();
	make_ready(vcpu);
}

void sched_add(struct vcpu *vcpu)
{
	vcpu->virtual_timer.function = virtual_due;
	vcpu->physical_timer.function = physical_due;
	vcpu->cntp.timer.function = emulated_due;
	vcpu->turns = 0;
	vcpu->load_work = sched.load_work | (fp_add(&vcpu->fp) ? VCPU_FP_EAGER : 0);
	add(vcpu);
}

void sched_add_worker(struct vcpu *vcpu)
{
	vcpu->load_work = sched.load_work | VCPU_WORKS; /* the previous vCPU saves its registers */
	add(vcpu);
}

struct vcpu *sched_begin(void)
{
	struct vcpu *first = pick();

	return first ? run(first) : NULL;
}

/* Remove `vcpu` from the list that begins at `link`. `next` is the offset of the links. */
static void take_out(struct vcpu **link, struct vcpu *vcpu, size_t next)
{
	/* bound: CORE_VCPUS */
	while (*link && *link != vcpu)
		link = (struct vcpu **)((char *)*link + next);
	if (*link)
		*link = *(struct vcpu **)((char *)vcpu + next);
}

static void halt(struct vcpu *vcpu, enum vcpu_state state)
{
	take_out(&sched.ready, vcpu, offsetof(struct vcpu, next_ready));
	if (vcpu == sched.running) {
		sched.running = pick();
		if (sched.running)
			switch_to(sched.running);
		else
			timerq_stop(&sched.slice);
	}
	vcpu->state = state;
}

void sched_remove(struct vcpu *vcpu)
{
	halt(vcpu, VCPU_STATE_OFF);
	take_out(&sched.vcpus, vcpu, offsetof(struct vcpu, next_of_core));
}

void sched_pause(struct vcpu *vcpu)
{
	halt(vcpu, VCPU_STATE_PAUSED);
}

void sched_resume(struct vcpu *vcpu)
{
	if (vcpu->state == VCPU_STATE_PAUSED)
		make_ready(vcpu);
}

void sched_leave(void)
{
	timerq_stop(&sched.slice);
	if (sched.running)
		push(&sched.ready, sched.running);
	sched.running = NULL;
}
