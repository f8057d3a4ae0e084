/* SPDX-License-Identifier: Apache-2.0 */
/* What the guest does differently on AArch64: translation control, vectors, the crash report. */
#include "guest/guest_arch.h"

#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "arch/tlb.h"
#include "guest/guest.h"
#include "guest/mmu.h"
#include "lib/lpae.h"
#include "lib/text.h"

/* TCR_EL1 (DDI 0487 D13.2.131): 32-bit addresses in TTBR0, so the walk begins at level 1; 4 KiB
 * granule; table walks write-back, inner shareable; nothing in TTBR1; 32-bit physical addresses. */
#define TCR_T0SZ_32_BIT 32u
#define TCR_IRGN0_WB (1u << 8)
#define TCR_ORGN0_WB (1u << 10)
#define TCR_SH0_INNER (3u << 12)
#define TCR_EPD1 (1u << 23)
#define TTBR_ASID_SHIFT 48

/* SCTLR_EL1: the RES1 bits of Armv8.0 with MMU, caches, stack alignment checks and write implies
 * execute never. */
#define SCTLR_RES1 0x30d00800u
#define SCTLR_M (1u << 0)
#define SCTLR_C (1u << 2)
#define SCTLR_SA (1u << 3)
#define SCTLR_SA0 (1u << 4)
#define SCTLR_I (1u << 12)
#define SCTLR_WXN (1u << 19)

extern char guest_vectors[], guest_vectors_delayed[], guest_vectors_el0[];
extern char guest_vectors_stamped[], guest_vectors_stamped_delayed[], guest_vectors_survive[];

volatile uint32_t guest_faults_allowed; /* vectors.S counts it down */

/* PTE_XN is UXN here: an EL0 without read access could still execute. */
uint64_t guest_arch_text_attributes(void)
{
	return S1_AP_RO_PRIV | PTE_XN;
}

void guest_arch_mmu_on(uintptr_t root, bool wxn)
{
	write_mair_el1(MAIR_VALUE);
	write_tcr_el1(TCR_T0SZ_32_BIT | TCR_IRGN0_WB | TCR_ORGN0_WB | TCR_SH0_INNER | TCR_EPD1);
	write_ttbr0_el1(root | (reg_t)MMU_ASID << TTBR_ASID_SHIFT);
	tlbi_el1_all();
	write_sctlr_el1(SCTLR_RES1 | SCTLR_M | SCTLR_C | SCTLR_SA | SCTLR_SA0 | SCTLR_I |
			(wxn ? SCTLR_WXN : 0));
	isb();
}

unsigned guest_arch_asid(void)
{
	return (unsigned)(read_ttbr0_el1() >> TTBR_ASID_SHIFT);
}

static void use_vectors(const char *vectors, uint32_t delay_instructions)
{
	write_tpidr_el1(delay_instructions ? delay_instructions - 2 : 0);
	write_vbar_el1((reg_t)vectors);
	isb();
}

void guest_arch_irq_delay(uint32_t instructions)
{
	use_vectors(instructions ? guest_vectors_delayed : guest_vectors, instructions);
}

void guest_arch_irq_stamps(uint32_t delay_instructions)
{
	use_vectors(delay_instructions ? guest_vectors_stamped_delayed : guest_vectors_stamped,
		    delay_instructions);
}

void guest_arch_el0_vectors(void)
{
	write_vbar_el1((reg_t)guest_vectors_el0);
	isb();
}

void guest_arch_survive(void)
{
	write_vbar_el1((reg_t)guest_vectors_survive);
	isb();
}

static void text_register(struct text *text, const char *name, uint64_t value)
{
	text_string(text, name);
	text_hex(text, value, 0);
}

void exception_report(reg_t offset);

/* From vectors.S: the offset of the vector names the exception. */
void exception_report(reg_t offset)
{
	char buffer[160];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_register(&text, "unexpected exception: vector 0x", offset);
	text_register(&text, " esr 0x", read_esr_el1());
	text_register(&text, " elr 0x", read_elr_el1());
	text_register(&text, " far 0x", read_far_el1());
	guest_fail(GUEST_EXIT_CRASHED, buffer);
}
