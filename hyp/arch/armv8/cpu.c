/* SPDX-License-Identifier: Apache-2.0 */
/* EL2 of an Armv8.0 core. Register fields: DDI 0487 D13.2. */
#include "hyp/arch/cpu.h"
#include "hyp/arch/guest.h"

#include "arch/control.h"
#include "arch/sysreg.h"

const char cpu_isa[] = "armv8";

unsigned cpu_level(void)
{
	return (unsigned)(read_currentel() >> 2 & 3);
}

unsigned cpu_pa_bits(void)
{
	static const uint8_t bits[] = { 32, 36, 40, 42, 44, 48, 52, 52 };

	return bits[read_id_aa64mmfr0_el1() & 7];
}

bool cpu_has_secure_state(void)
{
	return (read_id_aa64pfr0_el1() >> 12 & 0xf) != 0; /* EL3 */
}

void cpu_set_memory_types(void)
{
	write_mair_el2(MAIR_VALUE);
}

void cpu_set_entry(struct vcpu *vcpu, uintptr_t entry, reg_t argument)
{
	vcpu->frame = (struct trap_frame){ .x[0] = argument };
	write_elr_el2(entry);
	write_spsr_el2(SPSR_EL1H_MASKED);
}

void cpu_boot_registers(struct vcpu *vcpu, uintptr_t dtb)
{
	vcpu->frame.x[0] = dtb; /* x1-x3 are 0 */
}

bool cpu_entry_aligned(reg_t entry)
{
	return !(entry & 3);
}

void trap_skip_instruction(void)
{
	write_elr_el2(read_elr_el2() + 4);
}

bool trap_skip_store(void)
{
	trap_skip_instruction();
	return true;
}

void trap_repeat_store(void)
{
	write_elr_el2(read_elr_el2() - 4);
}

/* No trapping A64 instruction is conditional. */
bool trap_condition_passed(uint32_t esr)
{
	return true;
}

va_t trap_fault_va(bool fetch)
{
	return read_far_el2(); /* FAR_EL2 serves data and fetches */
}

void cpu_dump(void (*line)(const char *name, uint64_t value))
{
	line("currentel", read_currentel());
	if (cpu_level() != 2)
		return;
	line("esr_el2", read_esr_el2());
	line("elr_el2", read_elr_el2());
	line("spsr_el2", read_spsr_el2());
	line("far_el2", read_far_el2());
	line("hpfar_el2", read_hpfar_el2());
	line("hcr_el2", read_hcr_el2());
	line("sctlr_el2", read_sctlr_el2());
	line("vttbr_el2", read_vttbr_el2());
	line("elr_el1", read_elr_el1());
	line("esr_el1", read_esr_el1());
	line("far_el1", read_far_el1());
}
