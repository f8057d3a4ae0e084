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
static const char *measured_vm;

/* The members `step` to `bench` of every record. */
static char step_space[128];
static struct text step_members = { .at = step_space, .size = sizeof(step_space) };

/* The record that is printed in pieces. */
static struct {
	bool open;
	bool whole; /* `head` is complete */
	enum record_kind kind;
	char space[64 + sizeof(step_space) + 64];
	struct text head;
	size_t printed; /* bytes of `head` */
} pieces;

void record_in_step(const struct record_step *step)
{
	struct text *text = &step_members;

	text_init(text, step_space, sizeof(step_space));
	measured_vm = step ? step->vm : NULL;
	if (!step)
		return;
	text_format(text, ",\"step\":%ju,\"pass\":%ju,\"config\":", (uintmax_t)step->step,
		    (uintmax_t)step->pass);
	text_json_bytes(text, step->config, strlen(step->config));
	text_string(text, ",\"bench\":");
	text_json_bytes(text, step->bench, strlen(step->bench));
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

bool record_try_lock(void)
{
	return lock_try(&lock);
}

void record_unlock(void)
{
	lock_release(&lock);
}

/* Begin a record's text and its CRC. */
static void text_head(struct text *text, enum record_kind kind)
{
	count[kind]++;
	crc = 0;
	text_string(text, "{\"seq\":"); /* argument: 7 */
	text_u32(text, sequence++);
	text_string(text, ",\"kind\":\"");   /* argument: 9 */
	text_string(text, kinds[kind].name); /* argument: 11 */
	text_char(text, '"');
}

static void open(enum record_kind kind)
{
	TEXT(text, 64);

	record_cut();
	console_line();
	text_head(&text, kind);
	record_raw(text.at, text.length);                 /* argument: 64 */
	record_raw(step_members.at, step_members.length); /* argument: 128 */
}

void record_open(enum record_kind kind)
{
	open(kind);
	if (measured_vm)
		record_string("vm", measured_vm);
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

bool record_may_guest(unsigned kind)
{
	return kind < RECORD_KIND_COUNT && kinds[kind].may_guest;
}

bool record_in_pieces(void)
{
	return pieces.open;
}

static void begin_pieces(enum record_kind kind)
{
	struct text *head = &pieces.head;

	console_end_line();
	pieces.open = true;
	pieces.whole = false;
	pieces.kind = kind;
	pieces.printed = 0;
	text_init(head, pieces.space, sizeof(pieces.space));
	text_head(head, kind);
	/* argument: 128 */
	memcpy(head->at + head->length, step_members.at, step_members.length);
	head->length += step_members.length;
}

static void complete_head(const char *vm, unsigned vcpu)
{
	struct text *head = &pieces.head;

	pieces.whole = true;
	text_string(head, ",\"vm\":");         /* argument: 6 */
	text_json_bytes(head, vm, strlen(vm)); /* argument: PLAN_NAME_SIZE */
	text_string(head, ",\"vcpu\":");       /* argument: 8 */
	text_u32(head, vcpu);
	text_char(head, ',');
}

void record_piece(const char *text, size_t size)
{
	crc = crc32_update(crc, text, size); /* argument: RECORD_PIECE */
	console_text(text, size);            /* argument: RECORD_PIECE */
}

static bool print_head(void)
{
	size_t left = pieces.head.length - pieces.printed;
	size_t size = left < RECORD_PIECE ? left : RECORD_PIECE;

	record_piece(&pieces.head.at[pieces.printed], size);
	pieces.printed += size;
	return size != 0;
}

bool record_head_piece(enum record_kind kind, const char *vm, unsigned vcpu)
{
	if (pieces.open && pieces.whole)
		return print_head();
	if (pieces.open)
		complete_head(vm, vcpu);
	else if (console_queued())
		console_send(RECORD_PIECE); /* argument: RECORD_PIECE */
	else
		begin_pieces(kind);
	return true;
}

void record_end_pieces(void)
{
	record_close();
	pieces.open = false;
}

void record_cut(void)
{
	if (!pieces.open)
		return;
	console_bytes(RECORD_CUT "\n", sizeof(RECORD_CUT)); /* argument: 7 */
	pieces.open = false;
	sequence--;
	count[pieces.kind]--;
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

	record_in_step(NULL);
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
