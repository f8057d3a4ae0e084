/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of records of guests and of faults that are printed in pieces. Several vCPUs send records,
 * and EL2 prints between two pieces. */
/* LINK: hyp/vm/guest_record.c hyp/vm/vm_report.c hyp/base/record.c hyp/mem/guest_ram.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/hypercall.h"
#include "hyp/base/console.h"
#include "hyp/base/record.h"
#include "hyp/vm/guest_record.h"
#include "hyp/vm/vm_report.h"
#include "lib/crc32.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

#define VMS 3u
#define RAM_PAGES 2u /* the second page is the record buffer */
#define BODY_SIZE 400u

struct vm vms[VM_MAX];
static struct vcpu vcpus[VMS][2];
static struct vm vm[VMS];
static struct vm_machine machine[VMS];
static char body[VMS][BODY_SIZE + 1];
static unsigned next_seq; /* continues over all tests of this program */
static unsigned calls;    /* number of calls in a test */

static char *buffer_of(unsigned n)
{
	return (char *)(uintptr_t)machine[n].ram.pa + GUEST_RECORD_OFFSET;
}

/* Give VM n a body of BODY_SIZE bytes of its own letter. */
static void write_body(unsigned n, char letter)
{
	memset(body[n], letter, BODY_SIZE);
	memcpy(body[n], "\"a\":\"", 5);
	body[n][BODY_SIZE - 1] = '"';
	memcpy(buffer_of(n), body[n], BODY_SIZE);
}

static void setup(void)
{
	static const char *const names[VMS] = { "one", "two", "three" };

	fake_hyp_reset();
	record_in_step(NULL);
	calls = 0;
	record_try_lock(); /* a failed assertion may have kept the lock */
	record_unlock();
	for (unsigned n = 0; n < VMS; n++) {
		void *ram = fake_pages(RAM_PAGES);

		memset(ram, '\n', RAM_PAGES * PAGE_SIZE);
		machine[n].ram = ram_plain(0x80000000, (uintptr_t)ram, RAM_PAGES * PAGE_SIZE);
		vm[n] = (struct vm){ .name = names[n],
				     .machine = &machine[n],
				     .vcpu = { &vcpus[n][0], &vcpus[n][1] },
				     .vcpu_count = 2 };
		for (unsigned i = 0; i < 2; i++)
			vcpus[n][i] = (struct vcpu){ .vm = &vm[n], .index = i };
		write_body(n, (char)('a' + n));
	}
}

/* No test leaves a record in the queue. */
static void teardown(void)
{
	fake_hyp.console_size = 0;
	guest_record_finish();
	assert_int_equal(fake_hyp.console_size, 0);
}

/* Call once. Assert that the call prints little and that no loop of calls is endless. */
static long call(unsigned n, reg_t kind, reg_t size)
{
	size_t before = fake_hyp.console_size;
	long result = guest_record_send(&vcpus[n][0], kind, size);

	assert_in_range(fake_hyp.console_size - before, 0, RECORD_PIECE);
	assert_in_range(++calls, 1, 10000);
	return result;
}

/* Call until the record is printed or refused. */
static long call_to_the_end(unsigned n, reg_t kind, reg_t size)
{
	long result;

	do
		result = call(n, kind, size);
	while (result == HC_AGAIN);
	return result;
}

static long send_piece(unsigned n)
{
	return call(n, RECORD_CHECK, BODY_SIZE);
}

static void send_pieces(unsigned n, unsigned count)
{
	for (; count; count--)
		assert_int_equal(send_piece(n), HC_AGAIN);
}

/* Send VM n's record to its end. Return the number of calls. */
static unsigned send_all(unsigned n)
{
	unsigned count = 1;
	long result;

	for (; (result = send_piece(n)) == HC_AGAIN; count++)
		;
	assert_int_equal(result, HC_OK);
	return count;
}

/* Call for VM n until the middle of its body is printed. */
static void send_half(unsigned n)
{
	do
		send_pieces(n, 1);
	while (fake_hyp.console_size < BODY_SIZE / 2);
}

/* Take the next line from the console. */
static const char *next_line(void)
{
	static char line[FAKE_CONSOLE_SIZE];
	char *end = strchr(fake_hyp.console, '\n');
	size_t size;

	assert_non_null(end);
	size = (size_t)(end + 1 - fake_hyp.console);
	memcpy(line, fake_hyp.console, size - 1);
	line[size - 1] = '\0';
	fake_hyp.console_size -= size;
	memmove(fake_hyp.console, fake_hyp.console + size, fake_hyp.console_size + 1);
	return line;
}

static void assert_record(const char *kind, const char *rest)
{
	static char expected[FAKE_CONSOLE_SIZE];
	int size = snprintf(expected, sizeof(expected), "{\"seq\":%u,\"kind\":\"%s\",%s",
			    next_seq++, kind, rest);

	snprintf(expected + size, sizeof(expected) - (size_t)size, ",\"crc\":\"%08x\"}",
		 crc32_update(0, expected, (size_t)size));
	assert_string_equal(next_line(), expected);
}

static void assert_record_of(unsigned n, const char *members)
{
	char rest[BODY_SIZE + 64];

	snprintf(rest, sizeof(rest), "\"vm\":\"%s\",\"vcpu\":0,%s", vm[n].name, members);
	assert_record("check", rest);
}

static void assert_whole(unsigned n)
{
	assert_record_of(n, body[n]);
}

static void assert_cut(void)
{
	const char *line = next_line();

	assert_true(strlen(line) >= strlen(RECORD_CUT));
	assert_string_equal(line + strlen(line) - strlen(RECORD_CUT), RECORD_CUT);
	assert_null(strstr(line, "\"crc\""));
}

EACH_TEST(setup, teardown);

TEST(a_body_of_any_length_is_printed_to_its_last_byte)
{
	char members[160];

	for (unsigned size = 1; size <= 150; size++) {
		memset(members, 'x', sizeof(members));
		members[0] = '"';
		members[size] = '\0';
		memcpy(buffer_of(0), members, size);
		buffer_of(0)[size] = '\n'; /* not text, but beyond the size */
		assert_int_equal(call_to_the_end(0, RECORD_CHECK, size), HC_OK);
		assert_record_of(0, members);
	}
}

/* The check comes before the first printed byte. */
TEST(a_byte_in_any_piece_that_is_no_text_refuses_the_record)
{
	for (unsigned at = 0; at < BODY_SIZE; at++) {
		buffer_of(0)[at] = '\n';
		assert_int_equal(call_to_the_end(0, RECORD_CHECK, BODY_SIZE), HC_EINVAL);
		buffer_of(0)[at] = body[0][at];
	}
	assert_int_equal(fake_hyp.console_size, 0);
	send_all(0);
	assert_whole(0);
}

/* A body holds only members, so that no guest ends its record and begins another one. */
TEST(a_body_begins_with_a_quote_and_is_printable)
{
	static const char *const bodies[] = {
		"a",         " \"a\":1",    "}\"a\":1",   ",\"a\":1",
		"\"a\":1\n", "\"a\x1f\":1", "\"a\":\x7f", "\"\x80\":1"
	};

	for (unsigned i = 0; i < ARRAY_SIZE(bodies); i++) {
		strcpy(buffer_of(0), bodies[i]);
		assert_int_equal(call_to_the_end(0, RECORD_CHECK, strlen(bodies[i])), HC_EINVAL);
	}
	assert_int_equal(fake_hyp.console_size, 0);
}

/* A vCPU that calls prints the record of a vCPU that does not come back. */
TEST(a_guest_that_does_not_come_back_makes_nobody_wait)
{
	send_half(0);
	assert_in_range(send_all(1), 1, 4 * BODY_SIZE / RECORD_PIECE);
	assert_whole(0);
	assert_whole(1);
	assert_int_equal(send_piece(0), HC_OK); /* the record was printed meanwhile */
	assert_int_equal(fake_hyp.console_size, 0);
}

TEST(the_first_to_wait_is_printed_first)
{
	send_half(0);
	for (unsigned n = VMS - 1; n > 0; n--)
		while (vcpus[n][0].record.state != VCPU_RECORD_QUEUED)
			send_piece(n);
	send_all(1);
	assert_whole(0);
	assert_whole(2);
	assert_whole(1);
	assert_int_equal(send_piece(0), HC_OK);
	assert_int_equal(send_piece(2), HC_OK);
}

TEST(a_record_of_el2_cuts_a_line_that_comes_again_whole)
{
	send_half(0);
	record_error("a", "b");
	send_all(0);
	assert_cut();
	assert_record("error", "\"where\":\"a\",\"what\":\"b\"");
	assert_whole(0);
	assert_int_equal(fake_hyp.console_size, 0);
}

/* Return the number of `error` records that the end record counts. */
static unsigned long errors_at_end(void)
{
	const char *count;

	fake_hyp.console_size = 0;
	record_end(true, 0);
	next_seq++;
	count = strstr(fake_hyp.console, "\"errors\":");
	assert_non_null(count);
	fake_hyp.console_size = 0;
	return strtoul(count + strlen("\"errors\":"), NULL, 10);
}

/* The end record counts the `error` records of guests, too. */
TEST(a_cut_record_is_counted_once)
{
	unsigned long before = errors_at_end();

	while (fake_hyp.console_size < BODY_SIZE / 2)
		assert_int_equal(call(0, RECORD_ERROR, BODY_SIZE), HC_AGAIN);
	record_open(RECORD_STEP);
	record_close();
	assert_int_equal(call_to_the_end(0, RECORD_ERROR, BODY_SIZE), HC_OK);
	next_seq += 2;
	assert_int_equal(errors_at_end(), before + 1);
}

TEST(a_record_of_a_kind_or_size_that_no_guest_sends_is_refused)
{
	static const reg_t rows[][2] = { { RECORD_KIND_COUNT, 9 },
					 { RECORD_CHECK | 1ull << 32, 9 },
					 { RECORD_CHECK, UINT64_MAX },
					 { RECORD_CHECK, 0 } };

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(call_to_the_end(0, rows[i][0], rows[i][1]), HC_EINVAL);
	assert_int_equal(fake_hyp.console_size, 0);
#define X(NAME, text, may_guest)                                                                   \
	assert_int_equal(call_to_the_end(0, RECORD_##NAME, BODY_SIZE),                             \
			 may_guest ? HC_OK : HC_EINVAL);                                           \
	next_seq += may_guest;
	RECORD_KINDS(X)
#undef X
}

TEST(the_end_of_a_step_prints_what_waits)
{
	send_half(0);
	while (vcpus[1][0].record.state != VCPU_RECORD_QUEUED)
		send_piece(1);
	guest_record_finish();
	assert_whole(0);
	assert_whole(1);
}

/* A restart ends the record of the last life: EL2 neither continues it nor returns its result. */
TEST(a_guest_that_starts_anew_has_no_record_under_way)
{
	for (unsigned count = 1; count < 60; count++) {
		for (unsigned i = 0; i < count; i++)
			send_piece(0);
		guest_record_forget(&vm[0]);
		guest_record_finish();
		while (strchr(fake_hyp.console, '\n'))
			next_seq += !strstr(next_line(), RECORD_CUT);
		assert_int_equal(fake_hyp.console_size, 0);
		write_body(0, (char)('A' + count % 26));
		send_all(0);
		assert_whole(0);
	}
}

TEST(the_records_of_other_guests_outlive_a_restart)
{
	send_half(0);
	while (vcpus[1][0].record.state != VCPU_RECORD_QUEUED)
		send_piece(1);
	guest_record_forget(&vm[2]);
	guest_record_forget(&vm[1]);
	send_all(0);
	assert_whole(0);
	assert_int_equal(fake_hyp.console_size, 0);
	send_all(1);
	assert_whole(1);
}

/* EL2 reads the bytes again when it prints them. No byte may begin a line or end a string. */
TEST(a_body_that_changes_after_its_check_begins_no_line)
{
	while (vcpus[0][0].record.state != VCPU_RECORD_QUEUED)
		send_piece(0);
	memcpy(buffer_of(0) + 100, "\n{\"seq\":0\x80\r", 11);
	memcpy(body[0] + 100, "?{\"seq\":0??", 11);
	send_all(0);
	assert_whole(0);
	assert_int_equal(fake_hyp.console_size, 0);
}

TEST(arguments_that_change_during_the_check_begin_a_new_check)
{
	send_pieces(0, 2);
	buffer_of(0)[0] = 'x'; /* checked already */
	assert_int_equal(call(0, RECORD_CHECK, BODY_SIZE - 1), HC_EINVAL);
	buffer_of(0)[0] = '"';
	send_pieces(0, 2);
	buffer_of(0)[0] = 'x';
	assert_int_equal(call(0, RECORD_SKIP, BODY_SIZE), HC_EINVAL);
	buffer_of(0)[0] = '"';
	send_pieces(0, 2);
	assert_int_equal(call(0, RECORD_CHECK, GUEST_RECORD_SIZE + 1), HC_EINVAL);
	assert_int_equal(fake_hyp.console_size, 0);
}

/* The first call's record is printed as it was checked, and then that of the other call. */
TEST(another_call_meanwhile_is_another_record)
{
	send_half(0);
	assert_int_equal(call_to_the_end(0, RECORD_SKIP, BODY_SIZE), HC_OK);
	assert_whole(0);
	assert_non_null(strstr(fake_hyp.console, "\"kind\":\"skip\""));
	next_line();
	next_seq++;
	assert_int_equal(fake_hyp.console_size, 0);
}

/* While another core prints, a call does not wait for the lock. */
TEST(a_call_beside_a_holder_of_the_lock_does_nothing)
{
	record_lock();
	send_pieces(0, 50);
	assert_int_equal(fake_hyp.console_size, 0);
	record_unlock();
	send_all(0);
	assert_whole(0);
}

/* Text in the console's queue is printed before the line, in pieces as well. */
TEST(text_that_waits_comes_before_a_record)
{
	char text[200];

	memset(text, 't', sizeof(text));
	text[sizeof(text) - 1] = '\n';
	console_queue(text, sizeof(text));
	console_queue_end();
	send_all(0);
	text[sizeof(text) - 1] = '\0';
	assert_string_equal(next_line(), text);
	assert_whole(0);
	console_guest('x'); /* the guest's line is open */
	send_all(0);
	assert_string_equal(next_line(), "x");
	assert_whole(0);
}

/* --- faults --- */

#define FAULT                                                                                      \
	"\"vm\":\"%s\",\"vcpu\":0,\"reason\":\"data-abort\",\"class\":\"0x24\",\"esr\":"           \
	"\"0x93820007\","                                                                          \
	"\"pc\":\"0x40200040\",\"va\":\"0x0\",\"ipa\":\"0x9000004\",\"at\":\"uart\""

static void fault(struct vm *of, struct vcpu *vcpu)
{
	of->region[0] = (struct mmio_region){ .base = 0x9000000, .size = 0x1000, .name = "uart" };
	of->fault = (struct vm_report){
		.vcpu = vcpu,
		.reason = FAULT_DATA_ABORT,
		.esr = 0x93820007,
		.pc = 0x40200040,
		.ipa = 0x9000004,
		.record = { .kind = RECORD_FAULT },
	};
}

static bool fault_piece(unsigned n)
{
	size_t before = fake_hyp.console_size;
	bool more = vm_report_piece(&vm[n].fault);

	assert_in_range(fake_hyp.console_size - before, 0, RECORD_PIECE);
	return more;
}

static void assert_fault(const struct vm *of)
{
	char rest[sizeof(FAULT) + 64];

	snprintf(rest, sizeof(rest), FAULT, of->name);
	assert_record("fault", rest);
}

TEST(a_fault_without_an_address_names_no_place)
{
	fault(&vm[1], &vcpus[1][0]);
	vm[1].fault.reason = FAULT_TIME_LIMIT;
	vm[1].fault.esr = 0;
	vm[1].fault.ipa = 0;
	while (fault_piece(1))
		;
	assert_record("fault", "\"vm\":\"two\",\"vcpu\":0,\"reason\":\"time-limit\","
			       "\"class\":\"0x0\",\"esr\":\"0x0\",\"pc\":\"0x40200040\","
			       "\"va\":\"0x0\",\"ipa\":\"0x0\"");
}

TEST(a_restart_forgets_no_fault)
{
	fault(&vm[1], &vcpus[1][0]);
	while (fake_hyp.console_size < sizeof(FAULT) / 2)
		assert_true(fault_piece(1));
	guest_record_forget(&vm[1]);
	for (unsigned i = 0; i < 50; i++)
		fault_piece(1);
	assert_fault(&vm[1]);
}

TEST(a_fault_waits_for_nobody)
{
	fault(&vm[1], &vcpus[1][0]);
	record_lock();
	for (unsigned i = 0; i < 50; i++)
		assert_true(fault_piece(1));
	assert_int_equal(fake_hyp.console_size, 0);
	record_unlock();
	while (fault_piece(1))
		;
	assert_fault(&vm[1]);
	assert_false(fault_piece(1)); /* the fault is printed once */
	assert_int_equal(fake_hyp.console_size, 0);
}

TEST(the_end_of_a_step_prints_each_report)
{
	static struct vcpu one = { .vm = &vms[1] }, another = { .vm = &vms[VM_MAX - 1] };

	vms[1].name = "p";
	vms[VM_MAX - 1].name = "q";
	fault(&vms[1], &one);
	fault(&vms[VM_MAX - 1], &another);
	vms[1].resets = 8;
	vm_report_restarts(&one);
	send_half(0);
	vm_report_finish();
	assert_int_equal(vms[1].restarts.restarts, 8);
	assert_whole(0);
	assert_record("check", "\"vm\":\"p\",\"vcpu\":0,"
			       "\"variant\":\"resets\",\"ok\":true,\"count\":8");
	assert_fault(&vms[1]);
	assert_fault(&vms[VM_MAX - 1]);
}
