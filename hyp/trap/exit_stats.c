/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/trap/exit_stats.h"

#include <string.h>

#include "arch/counter.h"
#include "hyp/base/record.h"
#include "hyp/vm/vm.h"
#include "lib/bits.h"
#include "lib/compiler.h"
#include "lib/mean.h"

static const char *const event_name[] = { "pause", "resume" }; /* from event TRACE_PAUSE on */
static const char *const kind_name[] = {
#define X(NAME, text) [EXIT_##NAME] = text,
	EXIT_KINDS(X)
#undef X
};

static bool stats_on, trace_on;
static struct exit_stats space[EXIT_STATS_MAX];
static unsigned count;

static void empty(struct exit_stats *stats)
{
	stats->traced = 0;
	memset(stats->stat, 0, sizeof(stats->stat));
	/* bound: EXIT_KIND_COUNT */
	for (unsigned i = 0; i < EXIT_KIND_COUNT; i++) {
		stats->stat[i].min = UINT32_MAX;
		stats->stat[i].all = stats;
	}
}

void exit_stats_begin(const struct vcpu *vcpu)
{
	/* bound: EXIT_STATS_MAX */
	for (unsigned n = 0; n < count; n++)
		if (space[n].vcpu->core == vcpu->core)
			empty(&space[n]);
}

void exit_stats_reset(const struct run_config *config)
{
	stats_on = config->stats;
	trace_on = config->trace;
	count = 0;
}

void exit_stats_attach(struct vcpu *vcpu)
{
	unsigned n = 0;

	if (!stats_on && !trace_on)
		return;
	while (n < count && space[n].vcpu != vcpu)
		n++;
	vcpu->stats = &space[n];
	if (n == count) { /* a VM made anew keeps its statistics */
		space[count++].vcpu = vcpu;
		empty(&space[n]);
	}
}

__cold void exit_stats_add_slowly(struct exit_stat *stat, uint64_t ticks)
{
	uint32_t value;

	if (ticks & EXIT_NOT_COUNTED) {
		if (!(ticks & EXIT_MAPPED))
			return;
		ticks += EXIT_MAPPED;
		stat = &stat->all->stat[EXIT_STAGE2_MAP];
	}
	value = ticks >> 32 ? UINT32_MAX : (uint32_t)ticks;
	stat->min = value < stat->min ? value : stat->min;
	stat->max = value > stat->max ? value : stat->max;
	stat->total += value;
	if (ticks >> 32)
		stat->overflow++;
	else
		stat->count[histogram_bucket(value)]++;
}

void exit_stats_trace(const struct vcpu *vcpu, size_t stat, uint64_t arg, uint64_t start,
		      uint64_t ticks)
{
	struct exit_stats *stats = vcpu->stats;

	if (ticks & EXIT_NOT_COUNTED)
		return;
	/* The core that handles an event also writes here. */
	stats->event[__atomic_fetch_add(&stats->traced, 1, __ATOMIC_RELAXED) % TRACE_EVENTS] =
		(struct trace_rec){
			.ticks = start,
			.duration_ticks = ticks >> 32 ? UINT32_MAX : (uint32_t)ticks,
			.stat = (uint32_t)stat,
			.paused = vcpu->vm->paused,
			.arg = arg,
		};
}

void exit_stats_trace_event(const struct vm *vm, enum exit_kind event)
{
	for (unsigned n = 0; trace_on && n < vm->vcpu_count; n++)
		exit_stats_trace(vm->vcpu[n], EXIT_STAT(event), 0, counter_read(), 0);
}

static void emit_kind(const struct exit_stats *all, enum exit_kind kind)
{
	static char buffer[HISTOGRAM_JSON_SIZE + 64]; /* histogram and mean */
	const struct exit_stat *stat = &all->stat[kind];
	uint32_t n = stat->overflow;
	struct text text;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		n += stat->count[i];
	if (!n)
		return;
	text_init(&text, buffer, sizeof(buffer));
	text_string(&text, ",\"mean\":");
	text_milli(&text, mean_milli(stat->total, n));
	text_string(&text, ",\"hist\":");
	histogram_json(stat->count, &text);

	record_open_vcpu(RECORD_EXITS, all->vcpu->vm->name, all->vcpu->index);
	record_string("exit", kind_name[kind]);
	record_u64("n", n);
	record_u64("total", stat->total);
	record_u64("min", stat->min);
	record_u64("max", stat->max);
	record_u64("overflow", stat->overflow);
	record_raw(text.at, text.length);
	record_close();
}

static void emit_trace(const struct exit_stats *all)
{
	uint32_t n = all->traced > TRACE_EVENTS ? all->traced - TRACE_EVENTS : 0;

	for (; n < all->traced; n++) {
		const struct trace_rec *e = &all->event[n % TRACE_EVENTS];
		size_t kind = (e->stat - EXIT_STAT(0)) / sizeof(struct exit_stat);

		record_open_vcpu(RECORD_TRACE, all->vcpu->vm->name, all->vcpu->index);
		record_u64("t", e->ticks);
		record_u64("dur", e->duration_ticks);
		record_string("event", kind < TRACE_PAUSE ? kind_name[kind]
							  : event_name[kind - TRACE_PAUSE]);
		record_hex("arg", e->arg);
		record_u64("paused", e->paused);
		record_close();
	}
}

void exit_stats_emit(void)
{
	for (unsigned n = 0; stats_on && n < count; n++)
		for (unsigned kind = 0; kind < EXIT_KIND_COUNT; kind++)
			emit_kind(&space[n], (enum exit_kind)kind);
	for (unsigned n = 0; trace_on && n < count; n++)
		emit_trace(&space[n]);
}
