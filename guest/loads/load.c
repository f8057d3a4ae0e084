/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/loads/load.h"

#include <string.h>

#include "arch/barrier.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/mmu.h"
#include "guest/kernel/vtimer.h"

/* Symbols of linker/guest.ld.S. */
extern const struct load *const __load_start[], *const __load_end[];

static const struct {
#define X(axis, values) const char *axis;
	CONFIG_AXES(X)
#undef X
} words = {
#define X(axis, values) values,
	CONFIG_AXES(X)
#undef X
};

/*
 * Return whether the word equals value `number` of the axis, which ends with a blank or the list.
 */
static bool is_word(const char *word, uint32_t number)
{
	const char *at = words.beside;
	size_t length = strlen(word);

	while (number > 0)
		number -= *at++ == ' ';
	return strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\0');
}

static const struct load *find_load(uint32_t beside)
{
	for (const struct load *const *load = __load_start; load < __load_end; load++)
		if (is_word((*load)->beside, beside))
			return *load;
	guest_refuse("unknown load", beside);
}

void load_run(const struct guest_run *run)
{
	volatile uint32_t *rounds = &((struct guest_run *)(uintptr_t)run->ram_base)->rounds;
	const struct load *load = find_load(run->config.beside);
	uintptr_t start = (uintptr_t)mmu_free_start();
	uintptr_t end = start + LOAD_MEMORY;
	uintptr_t piece = start;
	void (*begin)(const struct guest_run *run);
	void (*round)(uintptr_t at);

	mmu_map_memory(start, end - start);
	begin = run->is_control ? load->control_begin : load->begin;
	round = run->is_control ? load->control_round : load->round;
	if (!round)
		guest_refuse("this load has no control VM", run->config.beside);
	vtimer_begin(run);
	if (begin)
		begin(run);
	for (;;) {
		round(piece);
		piece = end - piece > LOAD_PIECE ? piece + LOAD_PIECE : start;
		*rounds += 1;
		cpu_relax(); /* an emulator of several cores switches to the next core */
	}
}
