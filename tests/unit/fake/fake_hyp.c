/* SPDX-License-Identifier: Apache-2.0 */
/* The hypervisor's surroundings, see fake_hyp.h. */
#include "tests/unit/fake/fake_hyp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/guest_run.h"
#include "arch/control.h"
#include "arch/sysreg.h"
#include "boards/board.h"
#include "hyp/arch/cpu.h"
#include "hyp/arch/guest.h"
#include "hyp/base/console.h"
#include "hyp/base/image.h"
#include "hyp/vm/vm.h"
#include "tests/unit/fake/fake_gic.h"
#include "tests/unit/fake/function.h"

struct fake_hyp fake_hyp;

/* Symbols of linker/hyp.ld.S, and the header of an empty guest. */
uint8_t __image_start[1], __percore_copies[1];
const uint8_t __guest_image_start[sizeof(struct guest_header)] __attribute__((aligned(8)));

static bool coherency_start(void)
{
	return !fake_hyp.coherency_refused;
}

static bool counter_start(void)
{
	if (fake_hyp.counter_starts)
		fake_counter_step = 1;
	return !fake_hyp.counter_refused;
}

const struct board board = {
	.name = "fake",
	.guest_base = FAKE_GUEST_BASE,
	.guest_size = 0x1000000,
	.gic = { .dist = 0x2f000000, .cpu = 0x2f010000 },
	.hyp_timer_intid = FAKE_HYP_TIMER,
	.virt_timer_intid = 27,
	.phys_timer_intid = 30,
	.maintenance_intid = FAKE_GIC_MAINTENANCE,
	.spi_first = FAKE_SPI_FIRST,
	.spi_count = FAKE_SPI_COUNT,
	.coherency_start = coherency_start,
	.counter_start = counter_start,
};

void fake_hyp_reset(void)
{
	fake_reset();
	memset(&fake_hyp, 0, sizeof(fake_hyp));
	fake_hyp.level = 2;
	fake_hyp.pa_bits = 40;
	fake_hyp.typed = "";
}

FAKE_VALUE_FUNC(unsigned, cpu_level, (void), fake_hyp.level)
FAKE_VALUE_FUNC(bool, cpu_has_fp, (void), true)
FAKE_VALUE_FUNC(unsigned, cpu_pa_bits, (void), fake_hyp.pa_bits)

void cpu_use_vectors(struct vcpu *vcpu, const struct run_config *config)
{
	fake_hyp.vectors++;
}

FAKE_VALUE_FUNC(bool, cpu_entry_aligned, (reg_t entry), !(entry & 3))

FAKE_VOID_FUNC(cpu_reset_but_timers, (struct vcpu * vcpu, uintptr_t entry, reg_t argument))

/* No test switches to a worker. */
void vcpu_leave(struct vcpu *vcpu)
{
	abort();
}

void trap_skip_instruction(void)
{
	fake_hyp.skipped++;
}

bool trap_skip_store(void)
{
	trap_skip_instruction();
	return true;
}

void trap_repeat_store(void)
{
	fake_hyp.skipped--;
}

FAKE_VALUE_FUNC(bool, trap_condition_passed, (uint32_t esr), !fake_hyp.condition_failed)
FAKE_VALUE_FUNC(va_t, trap_fault_va, (bool fetch), read_far_el2())
FAKE_VALUE_FUNC(ipa_t, trap_fault_ipa, (bool fetch), fake_hyp.fault_ipa)
FAKE_VALUE_FUNC(bool, fake_fp_trapped, (void), read_cptr_el2() & CPTR_FP)

/* One number, the first of a context, stands for the FP registers. A use of the FP registers while
 * they trap would stop the hypervisor itself. */
void cpu_fp_switch(struct fp_context *from, const struct fp_context *to)
{
	uint64_t value = to->v[0][0];

	assert_false(fake_fp_trapped());
	from->v[0][0] = fake_hyp.fp_value;
	fake_hyp.fp_value = value;
}

void cpu_fp_load(const struct fp_context *context)
{
	assert_false(fake_fp_trapped());
	fake_hyp.fp_value = context->v[0][0];
}

void vm_fault(struct vcpu *vcpu, enum fault_reason reason, uint32_t esr, va_t va, ipa_t ipa)
{
	vcpu->vm->outcome = VM_FAULT;
	fake_hyp.faults++;
	fake_hyp.reason = reason;
	fake_hyp.esr = esr;
	fake_hyp.va = va;
	fake_hyp.ipa = ipa;
}

void console_bytes(const char *bytes, size_t size)
{
	assert_true(fake_hyp.console_size + size < FAKE_CONSOLE_SIZE);
	memcpy(fake_hyp.console + fake_hyp.console_size, bytes, size);
	fake_hyp.console_size += size;
	fake_hyp.console[fake_hyp.console_size] = '\0';
}

void console_text(const char *text, size_t size)
{
	assert_null(memchr(text, '\n', size));
	console_bytes(text, size);
}

void console_guest(char byte)
{
	console_bytes(&byte, 1);
	fake_hyp.line_open = byte != '\n';
}

void console_queue(const char *bytes, size_t size)
{
	assert_true(fake_hyp.queued + size <= CONSOLE_QUEUE_SIZE);
	memcpy(fake_hyp.queue + fake_hyp.queued, bytes, size);
	fake_hyp.queued += size;
}

void console_queue_end(void)
{
}

bool console_send(unsigned most)
{
	size_t count = most < fake_hyp.queued ? most : fake_hyp.queued;

	for (size_t i = 0; i < count; i++)
		console_guest(fake_hyp.queue[i]);
	fake_hyp.queued -= count;
	memmove(fake_hyp.queue, fake_hyp.queue + count, fake_hyp.queued);
	if (fake_hyp.sent)
		fake_hyp.sent();
	return fake_hyp.queued;
}

FAKE_VALUE_FUNC(unsigned, console_queued, (void), (unsigned)fake_hyp.queued)

void console_end_line(void)
{
	if (fake_hyp.line_open)
		console_bytes("\n", 1);
	fake_hyp.line_open = false;
}

void console_line(void)
{
	console_send(CONSOLE_QUEUE_SIZE);
	console_end_line();
}

int console_get(void)
{
	return *fake_hyp.typed ? (uint8_t)*fake_hyp.typed++ : -1;
}

void console_listen(bool on)
{
	fake_hyp.listening = on;
}

FAKE_VALUE_FUNC(unsigned, console_intid, (void), FAKE_CONSOLE_INTID)

FAKE_VOID_FUNC(trap_inject_undefined, (void))

bool trap_inject_abort(uint32_t esr)
{
	fake_hyp.aborts++;
	fake_hyp.esr = esr;
	return true;
}

_Noreturn void machine_end(enum run_status status)
{
	fail_msg("the machine ends: %d", status);
	__builtin_unreachable();
}

_Noreturn void panic_at(const char *file, int line, const char *what)
{
	fail_msg("panic: %s:%d: %s", file, line, what);
	__builtin_unreachable();
}
