/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/run/scenario.h"

#include <string.h>

#include "arch/counter.h"
#include "hyp/base/clock.h"
#include "hyp/base/cycles.h"
#include "hyp/base/record.h"
#include "hyp/cpu/timerq.h"
#include "hyp/dev/virtio_net.h"
#include "hyp/run/core_loop.h"
#include "hyp/run/guest.h"
#include "hyp/run/vms.h"
#include "hyp/sched/sched.h"
#include "hyp/trap/exit_stats.h"
#include "hyp/vm/life.h"
#include "hyp/vm/vm_report.h"
#include "hyp/vm/vm_work.h"
#include "lib/compiler.h"

#define US_PER_S 1000000u
#define MS_PER_S 1000u
#define EVENT_REST_US 40u /* 2500 instructions under QEMU: twice the length of an event */

static struct {
	const struct plan *plan;
	uint64_t start, limit; /* CNTPCT */
	struct timer event_timer;
	unsigned next_event;
	uint32_t served;               /* bit i: event i of `on` was served */
	uint32_t count[2];             /* number of ignored and of served events */
	uint64_t rests_until;          /* CNTPCT before which no event is served */
	enum vm_outcome ended[VM_MAX]; /* ends of VMs that an event has destroyed */
	unsigned life_count, wrong_count;
} now;

/* Pauses of a VM that was paused, and resumes of a VM that ran. Their records are printed after the
 * step, since printing takes long. */
static struct wrong {
	const struct vm *vm;
	enum plan_event_kind kind;
} wrong[PLAN_EVENT_MAX + PLAN_ON_MAX];

/* The facts of a VM's life, for its record. */
struct life {
	const struct vm *vm;
	enum vm_outcome outcome;
	uint32_t turns, smc, resets, rom_writes, tables, rounds;
	struct vm_faults faults;
	uint32_t net_received, net_lost, net_broken;
};

/* Lives that events ended. Their records are printed after the step, since printing takes long.
 * Between two lives of a VM an event makes the VM anew. */
static struct life lives[(PLAN_EVENT_MAX + PLAN_ON_MAX + VM_MAX) / 2];

/* Return whether the VM is a background VM or a load, which never ends by itself. */
static bool is_neighbour(unsigned i)
{
	return vms[i].machine->rounds;
}

static bool has_benchmarks(void)
{
	return now.plan->vm[now.plan->measured].image == PLAN_IMAGE_BENCH;
}

static const char *word_of(enum vm_outcome outcome)
{
	static const char *const words[] = {
		[VM_ABSENT] = "refused",  [VM_LEAVING] = "stopped", [VM_CREATED] = "stopped",
		[VM_RUNNING] = "running", [VM_RESET] = "reset",     [VM_DONE] = "done",
		[VM_REFUSED] = "refused", [VM_FAILED] = "failed",   [VM_CRASHED] = "crashed",
		[VM_FAULT] = "fault",
	};

	return words[outcome];
}

/* --- a VM --- */

/* Return the time limit of a VM; a neighbour has none. */
static uint64_t limit_of(unsigned i)
{
	return is_neighbour(i) ? VM_NO_LIMIT : now.limit;
}

static uint32_t turns_of(unsigned i)
{
	uint32_t turns = 0;

	/* bound: VCPU_MAX */
	for (unsigned n = 0; n < vms[i].vcpu_count; n++)
		turns += vms[i].vcpu[n]->turns;
	return turns;
}

static void note_life(struct life *life, unsigned i, enum vm_outcome outcome)
{
	const struct vm *vm = &vms[i];
	const struct virtio_net *net = vm->machine->net;

	*life = (struct life){
		.vm = vm,
		.outcome = outcome,
		.turns = turns_of(i),
		.smc = vm->smc_count,
		.resets = vm->resets,
		.rom_writes = vm->rom_writes,
		.tables = vm->tables.used,
		.faults = vm->faults,
	};
	if (is_neighbour(i))
		life->rounds = vm->machine->rounds(vm);
	if (net) {
		life->net_received = net->received;
		life->net_lost = net->lost;
		life->net_broken = net->broken;
	}
}

static void emit_life(const struct life *life)
{
	const struct vm *vm = life->vm;
	uint32_t image = now.plan->vm[vm - vms].image;

	if (image == PLAN_IMAGE_BACKGROUND || (image == PLAN_IMAGE_BENCH && !vm->machine->net))
		return;
	record_open_vcpu(RECORD_VM, vm->name, 0);
	record_string("outcome", word_of(life->outcome));
	record_u64("turns", life->turns);
	record_u64("smc", life->smc);
	record_u64("resets", life->resets);
	record_u64("rom_writes", life->rom_writes);
	record_u64("tables", life->tables);
	if (life->faults.count) {
		record_u64("faults", life->faults.count);
		record_string("fault", vm_fault_word(life->faults.reason));
		record_hex("pc", life->faults.pc);
		record_hex("ipa", life->faults.ipa);
	}
	if (is_neighbour((unsigned)(vm - vms)))
		record_u64("rounds", life->rounds);
	if (vm->machine->net) {
		record_u64("net_received", life->net_received);
		record_u64("net_lost", life->net_lost);
		record_u64("net_broken", life->net_broken);
	}
	record_close();
}

static enum vm_outcome ended(unsigned i)
{
	return vm_outcome(&vms[i]) <= VM_LEAVING ? now.ended[i] : vm_outcome(&vms[i]);
}

/* Keep the life of a VM. The core of vCPU 0 runs this in the work of vm_dismiss(). */
static void keep_life(const struct vm *vm)
{
	unsigned i = (unsigned)(vm - vms);
	unsigned n = __atomic_fetch_add(&now.life_count, 1, __ATOMIC_RELAXED);

	note_life(&lives[n], i, now.ended[i]);
}

static void emit_vms(void)
{
	for (unsigned n = 0; n < now.life_count; n++)
		emit_life(&lives[n]);
	EACH_VM(i)
	if (vm_outcome(&vms[i]) == VM_LEAVING ||
	    (now.plan->vm_count > 1 && vm_outcome(&vms[i]) != VM_ABSENT)) {
		struct life life;

		note_life(&life, i, ended(i));
		emit_life(&life);
	}
}

static void destroy(unsigned i)
{
	enum vm_outcome outcome = vm_outcome(&vms[i]);

	now.ended[i] = outcome == VM_RUNNING ? VM_CREATED : outcome;
	vm_dismiss(&vms[i]);
}

/* Return CNTPCT of the step's begin, plus the time of the records of restarts: printing is not part
 * of the step. Only a step with one VM has such records. */
static uint64_t begin(void)
{
	const uint32_t *printing = &vms[now.plan->measured].restarts.ticks;

	return now.start + __atomic_load_n(printing, __ATOMIC_RELAXED);
}

/* End the step from an exit: the core's loop does the rest. */
static void leave_guest(struct timer *timer)
{
	sched_leave();
}

/* Return whether the VM is not at its end. */
static bool goes_on(unsigned i)
{
	enum vm_outcome outcome = vm_outcome(&vms[i]);

	return (outcome == VM_RUNNING || outcome == VM_RESET) && !is_neighbour(i);
}

/* --- events --- */

/*
 * Do an event. Return false if the VM's state does not allow the event; a pause or resume that
 * changes nothing is an error.
 */
static bool do_event(enum plan_event_kind kind, unsigned i)
{
	struct vm *vm = &vms[i];
	enum vm_outcome outcome = vm_outcome(vm);
	bool exists = outcome > VM_LEAVING && outcome != VM_REFUSED;
	bool runs = outcome == VM_RUNNING || outcome == VM_RESET;

	if (!vms_takes_part(i))
		return false;
	if (kind == PLAN_EVENT_CREATE && outcome <= VM_LEAVING) {
		vm_make_anew(vm, limit_of(i));
	} else if (kind == PLAN_EVENT_PAUSE && runs && !vm->paused) {
		vm_pause(vm);
		exit_stats_trace_event(vm, TRACE_PAUSE);
	} else if (kind == PLAN_EVENT_RESUME && runs && vm->paused) {
		exit_stats_trace_event(vm, TRACE_RESUME);
		vm_resume(vm);
	} else if (kind == PLAN_EVENT_RESET && exists) {
		vm_restart(vm);
	} else if (kind == PLAN_EVENT_DESTROY && exists) {
		destroy(i);
	} else {
		if (runs && kind <= PLAN_EVENT_RESUME)
			wrong[now.wrong_count++] = (struct wrong){ vm, kind };
		return false;
	}
	return true;
}

_Static_assert(VM_FAULT == VM_RESET + PLAN_END_FAULT, "ends are in the order of outcomes");

/* Return whether the VM came to this end. A VM that restarts may run again by now. */
static bool has_come_to(const struct vm *vm, enum vm_outcome end)
{
	return end == VM_RESET ? vm->resets : vm_outcome(vm) == end;
}

/* Serve the first `on` event whose VM has come to its end. */
static bool serve_end(void)
{
	for (unsigned i = 0; i < now.plan->on_count; i++) {
		const struct plan_on *on = &now.plan->on[i];

		if ((now.served >> i & 1) || !has_come_to(&vms[on->of], VM_RESET + on->end))
			continue;
		now.served |= 1u << i;
		now.count[do_event((enum plan_event_kind)on->kind, on->vm)]++;
		return true;
	}
	return false;
}

/* Return CNTPCT of the next event, or UINT64_MAX. */
static uint64_t next_event_at(void)
{
	if (now.next_event == now.plan->event_count)
		return UINT64_MAX;
	return begin() + (uint64_t)clock_hz() * now.plan->event[now.next_event].at_us / US_PER_S;
}

static bool serve_time(uint64_t time)
{
	const struct plan_event *event = &now.plan->event[now.next_event];

	if (time < next_event_at())
		return false;
	now.next_event++;
	now.count[do_event((enum plan_event_kind)event->kind, event->vm)]++;
	return true;
}

/* Return whether the measured VM has ended, and the step with it: an event that is due now comes
 * too late. An `on` event may still restart the VM. */
static bool is_through(void)
{
	return has_benchmarks() && vm_outcome(&vms[now.plan->measured]) >= VM_DONE;
}

/* Serve one event. Ends come first, because the effect of one event may be the next one's cause. A
 * rest follows each event, in which core 0 runs its vCPUs. Return whether core 0 rests. */
static bool do_events(void)
{
	uint64_t start, due;
	bool done;

	if (!(now.plan->event_count | now.plan->on_count))
		return false;
	start = counter_read();
	if (start < now.rests_until)
		return true;
	done = serve_end() || (!is_through() && serve_time(start));
	if (done)
		now.rests_until = counter_read() + (uint64_t)clock_hz() * EVENT_REST_US / US_PER_S;
	due = done ? now.rests_until : next_event_at();
	if (due != UINT64_MAX)
		timerq_start(&now.event_timer, due);
	return done;
}

/* --- the step --- */

static uint64_t limit_from(uint64_t start)
{
	uint32_t ms = now.plan->limit_ms;

	return ms ? start + (uint64_t)clock_hz() * ms / MS_PER_S : VM_NO_LIMIT;
}

/* A neighbour that failed invalidates the configuration. */
static bool neighbour_failed(void)
{
	bool failed = false;

	for (unsigned i = 0; i < now.plan->vm_count; i++)
		failed |= vm_outcome(&vms[i]) > VM_DONE && is_neighbour(i);
	return failed;
}

static bool step_is_over(void)
{
	bool rests = do_events();
	bool waits = !has_benchmarks() && (rests || now.next_event < now.plan->event_count);

	for (unsigned i = 0; i < now.plan->vm_count; i++)
		waits |= goes_on(i) && (!has_benchmarks() || i == now.plan->measured);
	return !waits || neighbour_failed();
}

/* Run the step. Return the ticks from the first start on, or 0 if a VM was refused. */
static uint64_t run(void)
{
	bool created = true;
	uint64_t end;

	EACH_VM(i)
	created &= vms_create(i, keep_life);
	if (!created)
		return 0;
	now.limit = limit_from(counter_read());
	EACH_VM(i)
	vm_start(&vms[i], limit_of(i));
	now.start = counter_read(); /* loading is not part of the step */
	now.limit = limit_from(now.start);
	vms[now.plan->measured].limit = now.limit;
	/* events at the begin of the step come before the guests */
	while (next_event_at() == now.start)
		serve_time(now.start);
	core_loop(step_is_over);
	end = counter_read();
	timerq_stop(&now.event_timer);
	vm_stop(&vms[now.plan->measured]); /* stop the measured VM first: it may own the GIC */
	EACH_VM(i)
	vm_halt(&vms[i]); /* no VM waits for this */
	EACH_VM(i)
	vm_stop(&vms[i]);
	return end - begin();
}

/* Return the end of the measured VM, or, without a bench guest, the worst end of all: enum
 * vm_outcome is in this order. A VM that an event has destroyed did nothing wrong. */
static enum vm_outcome worst_end(void)
{
	enum vm_outcome worst = VM_DONE;

	if (neighbour_failed())
		return VM_FAULT;
	if (has_benchmarks())
		return ended(now.plan->measured);
	for (unsigned i = 0; i < VM_MAX; i++)
		worst = ended(i) > worst ? ended(i) : worst;
	return worst;
}

/* --- records --- */

static void emit_wrong(void)
{
	for (unsigned i = 0; i < now.wrong_count; i++)
		record_error(wrong[i].vm->name, wrong[i].kind == PLAN_EVENT_PAUSE
							? "pause of a VM that is paused"
							: "resume of a VM that runs");
}

static void emit_turns(void)
{
	uint32_t turns = 0, rounds = 0;

	EACH_VM(i)
	{
		turns += turns_of(i);
		if (is_neighbour(i))
			rounds += vms[i].machine->rounds(&vms[i]);
	}
	record_u64("switches", turns);
	record_u64("other_turns", turns - turns_of(now.plan->measured));
	record_u64("other_rounds", rounds);
}

static void emit_step(uint64_t ticks)
{
	const struct vm *vm = &vms[now.plan->measured];
	uint64_t cpu_hz = cycles_hz(now.plan->step_window_us);

	record_open(RECORD_STEP);
	record_u64("steps", now.plan->step_count);
	record_string("outcome", word_of(worst_end()));
	record_u64("ticks", ticks);
	if (cpu_hz)
		record_u64("cpu_hz", cpu_hz);
	record_u64("smc", vm->smc_count);
	if (!has_benchmarks()) {
		record_u64("resets", vm->resets);
		record_u64("rom_writes", vm->rom_writes);
	}
	if (vm->config->sched != SCHED_NULL)
		emit_turns();
	if (now.plan->event_count || now.plan->on_count) {
		record_u64("events", now.count[true]);
		record_u64("ignored", now.count[false]);
	}
	record_close();
}

bool scenario_run(const struct plan *plan)
{
	uint64_t ticks;
	bool done;

	memset(&now, 0, sizeof(now));
	now.plan = plan;
	now.event_timer.function = leave_guest;
	ticks = run();
	done = worst_end() == VM_DONE;
	vm_report_finish();
	emit_wrong();
	exit_stats_emit();
	emit_vms();
	emit_step(ticks);
	EACH_VM(i)
	if (vm_outcome(&vms[i]) != VM_ABSENT)
		vm_destroy(&vms[i]);
	return done;
}
