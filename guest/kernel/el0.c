/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/el0.h"

#include "arch/esr.h"
#include "guest/kernel/guest_arch.h"
#include "guest/kernel/mmu.h"
#include "lib/pagetable.h"

/* EL0 code of guest/arch/<isa>/el0.S. Its arguments are window, address and delay. */
extern char el0_nothing[], el0_nothing_delayed[], el0_load[], el0_load_delayed[];
void el0_call(char *entry, volatile struct el0_window *window, uintptr_t address, reg_t delay);

__attribute__((section(".bss.el0"))) static volatile struct el0_window window;
static bool fault_expected;
static uintptr_t fault_page;
static uint32_t fault_count;

_Static_assert(offsetof(struct el0_window, until) == 8, "el0.S knows this offset");

void el0_init(void)
{
	guest_arch_el0_vectors();
}

struct el0_window el0_touch(uintptr_t address, reg_t delay)
{
	static char *const code[2][2] = { { el0_nothing, el0_nothing_delayed },
					  { el0_load, el0_load_delayed } };

	el0_call(code[address != 0][delay != 0], &window, address, delay);
	return (struct el0_window){ window.from, window.until };
}

void el0_expect_fault(uintptr_t page)
{
	fault_page = page;
	fault_expected = true;
}

uint32_t el0_fault_count(void)
{
	return fault_count;
}

bool el0_data_abort(va_t address, reg_t status);

/* el0.S calls this function with the address and the syndrome of a data abort. Both isas report the
 * fault status in the long-descriptor format. Return false for an unexpected fault. */
bool el0_data_abort(va_t address, reg_t status)
{
	if (!fault_expected || address - fault_page >= PAGE_SIZE ||
	    FSC_TYPE(ABT_FSC(status)) != FSC_TRANSLATION)
		return false;
	fault_expected = false;
	fault_count++;
	mmu_map_user(fault_page, PAGE_SIZE);
	return true;
}
