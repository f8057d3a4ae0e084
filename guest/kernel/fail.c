/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that emit an `error` record and end the step. */
#include "guest/kernel/fail.h"

#include "guest/kernel/exit.h"
#include "guest/kernel/record.h"
#include "lib/text.h"

static void emit_error(const char *what)
{
	record_begin();
	member_string("where", "guest");
	member_string("what", what);
	record_emit(RECORD_ERROR);
}

/* A second error while the first is emitted ends the step at once. */
void guest_fail(enum guest_exit status, const char *what)
{
	static bool failing;

	if (!failing) {
		failing = true;
		emit_error(what);
	}
	guest_exit(status);
}

void guest_refuse(const char *what, uint64_t value)
{
	char buffer[192];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	for (; *what && *what != ';'; what++)
		text_char(&text, *what);
	text_string(&text, ": ");
	text_u64(&text, value);
	text_string(&text, what);
	guest_fail(GUEST_EXIT_REFUSED, buffer);
}
