/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EL2 checks what it relies on: bounds, ends of strings, indices of words, the memory of an
 * unmodified guest. The host tool checks which settings make sense together.
 */
#include "lib/plan.h"

#include <string.h>

#include "lib/crc32.h"
#include "lib/options.h"

#define SPACE_END 0x100000000ull /* of the intermediate physical addresses */
#define RAM_GRAIN 0x200000u
#define LOAD_GRAIN 0x1000u

#define X(NAME, word) word,
static const char *const platform_words[] = { PLATFORMS(X) };
static const char *const order_words[] = { PLAN_ORDERS(X) };
#undef X

static bool fail(struct text *why, const char *what)
{
	text_string(why, what);
	return false;
}

static bool check_header(const struct plan_section *section, struct text *why)
{
	const struct plan *plan = &section->plan;

	if (memcmp(section->magic, PLAN_SECTION_MAGIC, sizeof(section->magic)) != 0)
		return fail(why, "the plan section's magic is not " PLAN_SECTION_MAGIC);
	if (!number_check("version", section->version, PLAN_VERSION, PLAN_VERSION, why) ||
	    !number_check("length", section->length, sizeof(*plan), sizeof(*plan), why))
		return false;
	return crc32_update(0, plan, sizeof(*plan)) == section->crc ||
	       fail(why, "wrong CRC-32: the plan is damaged or cut");
}

static bool check_string(struct text *why, const char *what, const char *string, size_t size)
{
	if (string[size - 1] == '\0')
		return true;
	text_string(why, what);
	return fail(why, " has no NUL at its end");
}

static bool check_head(const struct plan *plan, struct text *why)
{
	return check_string(why, "name", plan->name, sizeof(plan->name)) &&
	       check_string(why, "machine", plan->machine, sizeof(plan->machine)) &&
	       number_check("platform", plan->platform, 0, PLATFORM_COUNT - 1, why) &&
	       number_check("order", plan->order, 0, PLAN_ORDER_COUNT - 1, why) &&
	       number_check("config_count", plan->config_count, 1, PLAN_CONFIG_MAX, why) &&
	       number_check("bench_count", plan->bench_count, 0, PLAN_BENCH_MAX, why) &&
	       number_check("load_count", plan->guest.load_count, 0, PLAN_LOAD_MAX, why);
}

/* EL2 spins by twos, after two: another number would spin for ever. */
static bool check_delay(const struct run_config *config, struct text *why)
{
	return (config->delay_el2 % 2 == 0 && config->delay_el2 != 2) ||
	       fail(why, "delay_el2 is odd, or 2");
}

static bool check_config(const struct run_config *config, struct text *why)
{
	return check_string(why, "config", config->name, sizeof(config->name)) &&
	       options_check(config_options, config, why) && check_delay(config, why);
}

static bool check_bench(const struct plan_bench *bench, struct text *why)
{
	return check_string(why, "bench", bench->name, sizeof(bench->name)) &&
	       options_check(bench_options, &bench->params, why);
}

static uint64_t ram_end(const struct plan_guest *guest)
{
	return guest->ram + ((uint64_t)guest->ram_mib << 20);
}

/* All of the load in the guest's RAM, or all of it outside, in pages. */
static bool check_load(const struct plan_guest *guest, const struct plan_load *load,
		       struct text *why)
{
	uint64_t end = (uint64_t)load->ipa + load->size;
	bool inside = load->ipa >= guest->ram && end <= ram_end(guest);
	bool outside = end <= guest->ram || load->ipa >= ram_end(guest);

	if (!options_check(load_options, load, why))
		return false;
	if (end > SPACE_END || !(inside || outside))
		return fail(why, "a load reaches out of the guest's RAM, or beyond 4 GiB");
	return (load->store | (inside ? 0 : load->ipa)) % LOAD_GRAIN == 0 ||
	       fail(why, "a load is not at a multiple of 4 KiB");
}

static bool check_guest(const struct plan_guest *guest, struct text *why)
{
	if (!options_check(guest_options, guest, why))
		return false;
	if (guest->ram % RAM_GRAIN || ram_end(guest) > SPACE_END)
		return fail(why, "the RAM is not at a multiple of 2 MiB, or ends beyond 4 GiB");
	for (uint32_t i = 0; i < guest->load_count; i++)
		if (!check_load(guest, &guest->load[i], why))
			return false;
	return true;
}

bool plan_check(const struct plan_section *section, struct text *why)
{
	const struct plan *plan = &section->plan;

	if (!check_header(section, why) || !check_head(plan, why))
		return false;
	for (uint32_t i = 0; i < plan->config_count; i++)
		if (!check_config(&plan->config[i], why))
			return false;
	for (uint32_t i = 0; i < plan->bench_count; i++)
		if (!check_bench(&plan->bench[i], why))
			return false;
	return plan->guest.load_count == 0 || check_guest(&plan->guest, why);
}

const char *plan_order_word(const struct plan *plan)
{
	return order_words[plan->order];
}

const char *plan_platform_word(const struct plan *plan)
{
	return platform_words[plan->platform];
}
