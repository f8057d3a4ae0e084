/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/trap/exit_stats.h"

#include <string.h>

#include "hyp/base/record.h"
#include "hyp/cpu/percpu.h"
#include "hyp/vm/vm.h"
#include "lib/bits.h"
#include "lib/compiler.h"
#include "lib/ring.h"

#define TRACE_EVENTS 64u /* the last ones are kept; a power of two */

/* One exit in the trace ring. */
struct trace_rec {
	uint64_t ticks; /* CNTPCT at the exit */
	/* INTID for irq, function id for hvc, IPA for mmio and faults, else the syndrome */
	uint64_t arg;
	const struct vcpu *vcpu; /* that exited */
	uint32_t duration_ticks; /* until the return to the guest was prepared */
	enum exit_kind kind;
};

static const char *const kind_name[] = {
#define X(NAME, text) [EXIT_##NAME] = text,
	EXIT_KINDS(X)
#undef X
};

struct exit_stat exit_stat[EXIT_KIND_COUNT] PERCPU;

static bool stats_on;
static bool trace_on;
static struct vcpu *const *chosen;
static unsigned chosen_count;
static const struct vcpu *running PERCPU;
static struct trace_rec event[TRACE_EVENTS] PERCPU;
static struct ring ring PERCPU;

void exit_stats_begin(void)
{
	ring_init(&ring, TRACE_EVENTS);
	memset(exit_stat, 0, sizeof(exit_stat));
	for (unsigned i = 0; i < EXIT_KIND_COUNT; i++)
		exit_stat[i].min = UINT32_MAX;
}

void exit_stats_reset(const struct run_config *config)
{
	stats_on = config->stats;
	trace_on = config->trace;
	if (stats_on || trace_on)
		exit_stats_begin();
}

void exit_stats_vcpu(const struct vcpu *vcpu)
{
	running = vcpu;
}

__cold void exit_stats_add_slowly(struct exit_stat *stat, uint64_t ticks)
{
	uint32_t value;

	if (ticks & EXIT_NOT_COUNTED) {
		if (!(ticks & EXIT_MAPPED))
			return;
		ticks += EXIT_MAPPED;
		stat = &exit_stat[EXIT_STAGE2_MAP];
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

void exit_stats_trace(enum exit_kind kind, uint64_t arg, uint64_t start, uint64_t ticks)
{
	if (!trace_on || ticks & EXIT_NOT_COUNTED)
		return;
	event[ring_next(&ring)] = (struct trace_rec){
		.ticks = start,
		.arg = arg,
		.vcpu = running,
		.duration_ticks = ticks >> 32 ? UINT32_MAX : (uint32_t)ticks,
		.kind = kind,
	};
}

void exit_stats_choose(struct vcpu *const vcpu[], unsigned count)
{
	chosen = vcpu;
	chosen_count = count;
}

static uint32_t exit_count(const struct exit_stat *stat)
{
	uint32_t n = stat->overflow;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		n += stat->count[i];
	return n;
}

static void emit_kind(const struct vcpu *vcpu, enum exit_kind kind, const struct exit_stat *stat,
		      uint32_t n)
{
	static char buffer[HISTOGRAM_JSON_SIZE + 64]; /* and the mean before it */
	const struct stats stats = { .n = n, .sum = stat->total };
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_string(&text, ",\"mean\":");
	text_milli(&text, (int64_t)stats_mean_milli(&stats));
	text_string(&text, ",\"hist\":");
	histogram_counts_json(stat->count, &text);

	record_open_vcpu(RECORD_EXITS, vcpu->vm->name, vcpu->index);
	record_string("exit", kind_name[kind]);
	record_u64("n", n);
	record_u64("total", stat->total);
	record_u64("min", stat->min);
	record_u64("max", stat->max);
	record_u64("overflow", stat->overflow);
	record_raw(text.at, text.length);
	record_close();
}

static void emit_stats(const struct vcpu *vcpu)
{
	const struct exit_stat *stats = percpu_of(exit_stat, vcpu->core);

	for (unsigned i = 0; i < EXIT_KIND_COUNT; i++) {
		uint32_t n = exit_count(&stats[i]);

		if (n)
			emit_kind(vcpu, (enum exit_kind)i, &stats[i], n);
	}
}

static void emit_event(const struct trace_rec *e)
{
	record_open_vcpu(RECORD_TRACE, e->vcpu->vm->name, e->vcpu->index);
	record_u64("t", e->ticks);
	record_u64("dur", e->duration_ticks);
	record_string("event", kind_name[e->kind]);
	record_hex("arg", e->arg);
	record_close();
}

static void emit_trace(const struct vcpu *vcpu)
{
	const struct trace_rec *events = percpu_of(event, vcpu->core);
	const struct ring *order = percpu_of(&ring, vcpu->core);

	for (uint32_t i = 0; i < ring_count(order); i++)
		emit_event(&events[ring_slot(order, i)]);
}

void exit_stats_emit(void)
{
	for (unsigned n = 0; stats_on && n < chosen_count; n++)
		emit_stats(chosen[n]);
	for (unsigned n = 0; trace_on && n < chosen_count; n++)
		emit_trace(chosen[n]);
}
