/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/probe/calls.h"

#include "arch/barrier.h"
#include "arch/cache.h"
#include "lib/text.h"
#include "probe_arch/hvc.h"

/* Write the immediate into every HVC between two symbols, which is 0 in the image. The MMU is off,
 * so the store goes to memory; only the instruction cache may have the old word. */
static void patch_calls(uint32_t *start, const uint32_t *end, uint32_t immediate)
{
	for (uint32_t *word = start; word < end; word++)
		if (*word == hvc_word(0))
			*word = hvc_word(immediate);
	dsb_sy();
	icache_invalidate_core();
	isb();
}

static uint64_t number_of(const struct machine *machine, const char *prefix, const char *suffix)
{
	TEXT(name, 24);

	text_string(&name, prefix);
	text_string(&name, suffix);
	return machine_number(machine, name.at, 0);
}

void named_call_find(struct named_call *named, const struct machine *machine, const char *prefix,
		     uint32_t *start, const uint32_t *end)
{
	static const char *const arguments[] = { ".x0", ".x1", ".x2", ".x3" };

	if (!machine_word(machine, prefix, named->name, sizeof(named->name)))
		return;
	for (unsigned i = 0; i < 4; i++)
		named->call.argument[i] = (reg_t)number_of(machine, prefix, arguments[i]);
	named->call.number = (reg_t)number_of(machine, prefix, ".x16");
	patch_calls(start, end, (uint32_t)number_of(machine, prefix, ".imm"));
}

bool call_refused(reg_t answer)
{
	return (int32_t)answer < 0;
}

static void switch_off(void *argument)
{
	const struct machine *machine = argument;
	struct probe_call off = { .argument = { PSCI_SYSTEM_OFF } };
	struct probe_window window;

	if (machine->psci_by_smc)
		window_smc(&window, 0, &off);
	else
		window_hvc(&window, 0, &off);
}

void power_off(const struct machine *machine)
{
	attempt(switch_off, (void *)(uintptr_t)machine);
	for (;;)
		wfi();
}
