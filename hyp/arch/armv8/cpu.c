/* SPDX-License-Identifier: Apache-2.0 */
/* EL2 of an Armv8.0 core. Register fields: DDI 0487 D13.2. */
#include "hyp/arch/cpu.h"

#include "arch/barrier.h"
#include "arch/el1_regs.h"
#include "arch/sysreg.h"
#include "arch/tlb.h"
#include "hyp/arch/armv8/newer.h"
#include "hyp/arch/guest_control.h"
#include "hyp/vm.h"
#include "lib/lpae.h"

#define HCR_RW (1ull << 31) /* EL1 is AArch64 */

#define SCTLR_EL2_RES1 0x30c50830u
#define SCTLR_M (1u << 0)
#define SCTLR_C (1u << 2)
#define SCTLR_SA (1u << 3)
#define SCTLR_I (1u << 12)
#define SCTLR_WXN (1u << 19)

/* The RES1 bits, which trap SVE and SME; activity monitors and trace registers trap (TAM, TTA);
 * TFP and TCPAC 0 */
#define CPTR_EL2_NO_TRAPS (0x33ffu | 1u << 30 | 1u << 20)
#define CPTR_EL2_TFP (1u << 10)

/* TCR_EL2 and VTCR_EL2: 4 GiB of input, level 1 first, inner shareable write-back walks, 40-bit
 * physical addresses */
#define TCR_T0SZ_4GIB 32u
#define TCR_WALK_CACHED (1u << 8 | 1u << 10 | 3u << 12)
#define TCR_PS_40BIT (2u << 16)
#define TCR_EL2_RES1 (1u << 31 | 1u << 23)
#define VTCR_RES1 (1u << 31)
#define VTCR_SL0_LEVEL1 (1u << 6)

/* EL1 and EL0 may read CNTPCT; they may use CNTP (D13.11.10). QEMU 7.2 asks EL1PCEN, too, when EL0
 * reads CNTPCT: with cntp=trapped that exits there, and is emulated. */
#define CNTHCTL_PCTEN (1u << 0)
#define CNTHCTL_PCEN (1u << 1)

#define SPSR_EL1H_MASKED 0x3c5u

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

bool cpu_has_fp(void)
{
	return true;
}

bool cpu_has_secure_state(void)
{
	return (read_id_aa64pfr0_el1() >> 12 & 0xf) != 0; /* EL3 */
}

void cpu_init(void)
{
	cpu_guest_off();
	write_cptr_el2(CPTR_EL2_NO_TRAPS);
	write_hstr_el2(0);
	write_mdcr_el2(read_mdcr_el2() & 0x1f); /* HPMN, until guest_mdcr() */
	newer_init();
	write_vpidr_el2(read_midr_el1());
	write_vmpidr_el2(read_mpidr_el1());
	write_cntvoff_el2(0);
	write_cnthp_ctl_el2(0);
	write_vttbr_el2(0);
	isb();
}

void cpu_enable_mmu(const pte_t *root)
{
	write_mair_el2(MAIR_VALUE);
	write_tcr_el2(TCR_EL2_RES1 | TCR_PS_40BIT | TCR_WALK_CACHED | TCR_T0SZ_4GIB);
	write_ttbr0_el2((uintptr_t)root);
	tlbi_el2_all();
	write_sctlr_el2(SCTLR_EL2_RES1 | SCTLR_M | SCTLR_C | SCTLR_SA | SCTLR_I | SCTLR_WXN);
	isb();
}

void cpu_reset_guest(struct vcpu *vcpu, uintptr_t entry, reg_t argument)
{
#define X(name, value) write_##name(value);
	EL1_REGS(X)
#undef X
	cpu_reset_debug();
	cpu_reset_pmu();
	vcpu->cntp = (struct vcntp)VCNTP_RESET;
	write_cntvoff_el2(vcpu->vm->cntvoff);
	vcpu->frame = (struct trap_frame){ .x[0] = argument };
	write_elr_el2(entry);
	write_spsr_el2(SPSR_EL1H_MASKED);
	isb();
}

void cpu_boot_registers(struct vcpu *vcpu, uintptr_t dtb)
{
	vcpu->frame.x[0] = dtb; /* x1-x3: 0 */
}

bool cpu_entry_aligned(reg_t entry)
{
	return !(entry & 3);
}

void cpu_guest_on(const struct run_config *config)
{
	write_vtcr_el2(VTCR_RES1 | TCR_PS_40BIT | TCR_WALK_CACHED | VTCR_SL0_LEVEL1 |
		       TCR_T0SZ_4GIB);
	write_cnthctl_el2(config->cntp == CNTP_TRAPPED ? CNTHCTL_PCTEN
						       : CNTHCTL_PCTEN | CNTHCTL_PCEN);
	write_mdcr_el2(guest_mdcr(config) | (config->irq == IRQ_TRAPPED ? newer_mdcr : 0));
	write_hcr_el2(HCR_RW | guest_hcr(config) | (config->traps ? newer_hcr : 0));
	isb();
}

/* Also quiets the guest's timers, so that nothing of a stopped guest stays pending. */
void cpu_guest_off(void)
{
	write_hcr_el2(HCR_RW);
	write_cntv_ctl_el0(0);
	write_cntp_ctl_el0(0);
	isb();
}

void cpu_fp_trap(bool on)
{
	write_cptr_el2(on ? CPTR_EL2_NO_TRAPS | CPTR_EL2_TFP : CPTR_EL2_NO_TRAPS);
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

/* No A64 instruction that traps is conditional. */
bool trap_condition_passed(uint32_t esr)
{
	(void)esr;
	return true;
}

va_t trap_fault_va(bool fetch)
{
	(void)fetch; /* one register for both */
	return read_far_el2();
}

/* HPFAR holds bits 47:12 from bit 4 on; the offset in the page is the virtual address's. */
ipa_t trap_fault_ipa(bool fetch)
{
	return (read_hpfar_el2() & ~0xfull) << 8 | (trap_fault_va(fetch) & 0xfff);
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
