/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/record.h"

#include "arch/hypercall.h"
#include "guest/kernel/exit.h"
#include "guest/kernel/text.h"
#include "guest/kernel/timing.h"
#include "lib/histogram.h"

static const struct guest_run *guest_run;
static struct text record;

void record_init(const struct guest_run *run)
{
	guest_run = run;
}

/* record_begin() emits the first member of every body. */
void record_begin(void)
{
	timing_end();
	text_init(&record, (char *)(uintptr_t)guest_run + GUEST_RECORD_OFFSET, GUEST_RECORD_SIZE);
}

static void member_name(const char *name)
{
	if (record.length)
		text_char(&record, ',');
	text_json_string(&record, name);
	text_char(&record, ':');
}

void member_integer(const char *name, int64_t value)
{
	member_name(name);
	text_i64(&record, value);
}

void member_milli(const char *name, int64_t value)
{
	member_name(name);
	text_milli(&record, text_sign(&record, value));
}

void member_string(const char *name, const char *value)
{
	member_name(name);
	text_json_string(&record, value);
}

void member_bool(const char *name, bool value)
{
	member_name(name);
	text_string(&record, value ? "true" : "false");
}

void member_histogram(const char *name, const uint32_t *count)
{
	member_name(name);
	histogram_json(count, &record);
}

void member_event_begin(const char *event, bool first)
{
	if (first)
		member_name("events");
	text_string(&record, first ? "[{" : "},{");
	text_string(&record, "\"name\":");
	text_json_string(&record, event);
}

void member_events_end(void)
{
	text_string(&record, "}]");
}

void member_list(const struct member *members, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		member_integer(members[i].name, members[i].value);
}

void member_clock(void)
{
	member_string("unit", "ticks");
	member_string("clock", "cntpct");
	member_integer("hz", guest_run->counter_hz);
}

/* Return the result of HC_RECORD, which takes several calls. */
static long send_record(enum record_kind kind)
{
	long result;

	do
		result = (long)hvc(HC_ID(RECORD), kind, (reg_t)record.length);
	while (result == HC_AGAIN);
	return result;
}

/* A body that the hypervisor refuses shows a bug of the guest. */
void record_emit(enum record_kind kind)
{
	if (record.overflow || send_record(kind) != HC_OK)
		guest_exit(GUEST_EXIT_CRASHED);
}
