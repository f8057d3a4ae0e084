/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/base/record.h"

#include <string.h>

#include "drivers/uart/uart.h"
#include "hyp/base/console.h"
#include "hyp/base/lock.h"
#include "lib/crc32.h"
#include "lib/text.h"

static const struct {
	const char *name;
	bool may_guest; /* a guest may send records of this kind */
} kinds[] = {
#define X(NAME, text, may_guest) [RECORD_##NAME] = { text, may_guest },
	RECORD_KINDS(X)
#undef X
};

static struct lock lock;
static uint32_t sequence;
static uint32_t count[RECORD_KIND_COUNT];
static uint32_t crc; /* CRC of the line so far */
static const struct record_step *current_step;

void record_in_step(const struct record_step *step)
{
	current_step = step;
}

void record_raw(const char *bytes, size_t size)
{
	crc = crc32_update(crc, bytes, size); /* argument: ARGUMENT_1 */
	console_bytes(bytes, size);           /* argument: ARGUMENT_1 */
}

static __attribute__((format(printf, 1, 2))) void raw(const char *format, ...)
{
	va_list values;
	TEXT(text, 128);

	va_start(values, format);
	text_vformat(&text, format, values);
	va_end(values);
	record_raw(text.at, text.length); /* argument: 64 */
}

void record_u64(const char *name, uint64_t value)
{
	raw(",\"%s\":%ju", name, value);
}

void record_hex(const char *name, uint64_t value)
{
	raw(",\"%s\":\"0x%jx\"", name, value);
}

/* Emit one character at a time, so that no buffer limits the length. */
static void raw_string(const char *string)
{
	record_raw("\"", 1);
	/* bound: 32: EL2's own words, and the plan's names */
	for (; *string; string++) {
		TEXT(quoted, 16);

		text_json_bytes(&quoted, string, 1);
		record_raw(quoted.at + 1, quoted.length - 2); /* argument: 6 */
	}
	record_raw("\"", 1);
}

void record_string(const char *name, const char *value)
{
	raw(",\"%s\":", name);
	raw_string(value);
}

void record_strings(const char *name, const char *const values[], unsigned value_count)
{
	raw(",\"%s\":[", name);
	for (unsigned i = 0; i < value_count; i++) {
		record_raw(",", i != 0);
		raw_string(values[i]);
	}
	record_raw("]", 1);
}

void record_lock(void)
{
	lock_take(&lock);
}

void record_unlock(void)
{
	lock_release(&lock);
}

static void open(enum record_kind kind)
{
	console_line();
	count[kind]++;
	crc = 0;
	raw("{\"seq\":%ju,\"kind\":\"%s\"", (uintmax_t)sequence++, kinds[kind].name);
	if (!current_step)
		return;
	record_u64("step", current_step->step);
	record_u64("pass", current_step->pass);
	record_string("config", current_step->config);
	record_string("bench", current_step->bench);
}

void record_open(enum record_kind kind)
{
	open(kind);
	if (current_step)
		record_string("vm", current_step->vm);
}

void record_open_vcpu(enum record_kind kind, const char *vm, unsigned vcpu)
{
	open(kind);
	record_string("vm", vm);
	record_u64("vcpu", vcpu);
}

void record_close(void)
{
	TEXT(text, 24);

	text_string(&text, ",\"crc\":\""); /* argument: 8 */
	text_checksum(&text, crc);
	text_string(&text, "\"}\n");         /* argument: 3 */
	console_bytes(text.at, text.length); /* argument: 20 */
}

bool record_is_text(const char *body, size_t size)
{
	/* bound: ARGUMENT_1 */
	for (size_t i = 0; i < size; i++)
		if (body[i] < ' ' || body[i] > '~')
			return false;
	return true;
}

bool record_open_guests(unsigned kind, const char *vm, unsigned vcpu, const char *body, size_t size)
{
	if (kind >= RECORD_KIND_COUNT || !kinds[kind].may_guest || size == 0 || body[0] != '"')
		return false;
	record_lock();
	record_open_vcpu((enum record_kind)kind, vm, vcpu);
	record_raw(",", 1);
	return true;
}

void record_guests(const char *bytes, size_t size)
{
	/* bound: ARGUMENT_1 */
	for (size_t i = 0; i < size; i++) {
		char read = *(const volatile char *)&bytes[i];

		record_raw(record_is_text(&read, 1) ? &read : "?", 1);
	}
}

bool record_from_guest(unsigned kind, const char *vm, unsigned vcpu, const char *body, size_t size)
{
	if (!record_is_text(body, size) || !record_open_guests(kind, vm, vcpu, body, size))
		return false;
	record_raw(body, size); /* argument: ARGUMENT_4 */
	record_close();
	record_unlock();
	return true;
}

void record_error(const char *where, const char *what)
{
	record_open(RECORD_ERROR);
	record_string("where", where);
	record_string("what", what);
	record_close();
}

bool record_end(bool steps_ok, uint64_t cpu_hz)
{
	bool ok = steps_ok && count[RECORD_FAULT] == 0 && count[RECORD_ERROR] == 0;

	current_step = NULL;
	record_open(RECORD_END);
	record_u64("records", sequence);
	record_u64("faults", count[RECORD_FAULT]);
	record_u64("errors", count[RECORD_ERROR]);
	if (cpu_hz)
		record_u64("cpu_hz", cpu_hz);
	record_string("status", ok ? "ok" : "failed");
	record_close();
	return ok;
}

_Noreturn void record_give_up(const char *where, const char *what)
{
	record_error(where, what);
	record_end(false, 0);
	machine_end(RUN_IMPOSSIBLE);
}
