/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/plan.h"

#include <string.h>

#include "lib/crc32.h"

static bool check_number(const char *name, uint32_t value, uint32_t valid, struct text *why)
{
	if (value != valid)
		text_format(why, "%s %ju; valid: %ju", name, (uintmax_t)value, (uintmax_t)valid);
	return value == valid;
}

bool plan_check(const struct plan_section *section, struct text *why)
{
	const struct plan *plan = &section->plan;
	bool ours = memcmp(section->magic, PLAN_SECTION_MAGIC, sizeof(section->magic)) == 0;

	if (!ours)
		text_string(why, "the plan section's magic is not " PLAN_SECTION_MAGIC);
	if (!ours || !check_number("version", section->version, PLAN_VERSION, why) ||
	    !check_number("length", section->length, sizeof(*plan), why))
		return false;
	if (crc32_update(0, plan, sizeof(*plan)) == section->crc)
		return true;
	text_string(why, "wrong CRC-32: the plan is damaged or cut");
	return false;
}
