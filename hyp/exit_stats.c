/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/exit_stats.h"

#include "abi/trace.h"
#include "hyp/record.h"
#include "lib/bits.h"
#include "lib/histogram.h"
#include "lib/ring.h"

#define TRACE_EVENTS 64u /* the last ones are kept; a power of two */

static const char *const kind_name[] = {
#define X(NAME, text) [EXIT_##NAME] = text,
	EXIT_KINDS(X)
#undef X
};

static bool stats_on;
static bool trace_on;
static uint8_t running_vmid;
static struct histogram stats[EXIT_KIND_COUNT];
static struct trace_rec event[TRACE_EVENTS];
static struct ring ring;

void exit_stats_reset(const struct run_config *config)
{
	stats_on = config->stats;
	trace_on = config->trace;
	ring_init(&ring, TRACE_EVENTS);
	if (stats_on)
		for (unsigned i = 0; i < EXIT_KIND_COUNT; i++)
			histogram_init(&stats[i]);
}

void exit_stats_vm(uint8_t vmid)
{
	running_vmid = vmid;
}

void exit_stats_add(enum exit_kind kind, uint64_t arg, uint64_t start_ticks, uint64_t end_ticks)
{
	if (stats_on)
		histogram_add(&stats[kind], end_ticks - start_ticks);
	if (trace_on)
		event[ring_next(&ring)] = (struct trace_rec){
			.ticks = start_ticks,
			.duration_ticks = (uint32_t)(end_ticks - start_ticks),
			.kind = (uint16_t)kind,
			.vm = running_vmid,
			.arg = arg,
		};
}

static void emit_kind(enum exit_kind kind)
{
	static char buffer[16384];
	const struct histogram *h = &stats[kind];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_string(&text, ",\"mean\":");
	text_milli(&text, (int64_t)stats_mean_milli(&h->stats));
	text_string(&text, ",\"hist\":");
	histogram_json(h, &text);

	record_open(RECORD_EXITS);
	record_string("exit", kind_name[kind]);
	record_u64("n", h->stats.n);
	record_u64("total", h->stats.sum);
	record_u64("min", h->stats.min);
	record_u64("max", h->stats.max);
	record_u64("overflow", h->overflow);
	record_raw(text.at, text.length);
	record_close();
}

static void emit_event(const struct trace_rec *e)
{
	record_open(RECORD_TRACE);
	record_u64("t", e->ticks);
	record_u64("dur", e->duration_ticks);
	record_string("event", kind_name[e->kind]);
	record_hex("arg", e->arg);
	record_u64("vm", e->vm);
	record_close();
}

void exit_stats_emit(void)
{
	for (unsigned i = 0; stats_on && i < EXIT_KIND_COUNT; i++)
		if (stats[i].stats.n)
			emit_kind((enum exit_kind)i);
	for (uint32_t i = 0; i < ring_count(&ring); i++)
		emit_event(&event[ring_slot(&ring, i)]);
}
