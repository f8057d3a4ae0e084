/* SPDX-License-Identifier: Apache-2.0 */
/* Translation control, vectors and the crash report of the guest. The code uses the ARMv8 names of
 * registers; guest_arch/control.h has the bits that differ between the isas. */
#include "guest/kernel/guest_arch.h"

#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "arch/tlb.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/mmu.h"
#include "guest_arch/control.h"
#include "lib/lpae.h"
#include "lib/text.h"

/* TCR_EL1 (DDI 0487 D13.2.131), TTBCR (DDI 0406C B4.1.153): the walk of TTBR0 begins at level 1; 4
 * KiB granule; table walks write-back, inner shareable; TTBR1 is unused. */
#define TCR_IRGN0_WB (1u << 8)
#define TCR_ORGN0_WB (1u << 10)
#define TCR_SH0_INNER (3u << 12)
#define TCR_EPD1 (1u << 23)
#define TTBR_ASID_SHIFT 48

#define SCTLR_M (1u << 0)
#define SCTLR_C (1u << 2)
#define SCTLR_I (1u << 12)
#define SCTLR_WXN (1u << 19)

/*
 * tables of vectors.S for no delay, a delay of 2, and longer delays; the last two are the same on
 * ARMv8
 */
extern char guest_vectors[], guest_vectors_delay_2[], guest_vectors_delayed[];
extern char guest_vectors_stamped[], guest_vectors_stamped_delay_2[];
extern char guest_vectors_stamped_delayed[];
extern char guest_vectors_el0[], guest_vectors_survive[];

volatile uint32_t guest_faults_allowed; /* vectors.S decrements it */

uint64_t guest_arch_text_attributes(void)
{
	return S1_AP_RO_PRIV | TEXT_ATTRIBUTES;
}

/* Write TCR first: with TTBCR.EAE clear, MAIR0 of ARMv7 is PRRR. */
void guest_arch_mmu_on(uintptr_t root, bool wxn)
{
	reg_t sctlr = SCTLR_BASE(read_sctlr_el1());

	write_tcr_el1(TCR_BASE | TCR_IRGN0_WB | TCR_ORGN0_WB | TCR_SH0_INNER | TCR_EPD1);
	isb();
	write_mair_el1(MAIR_VALUE);
	write_ttbr0_el1(root | (uint64_t)MMU_ASID << TTBR_ASID_SHIFT);
	tlbi_el1_all();
	write_sctlr_el1(sctlr | SCTLR_M | SCTLR_C | SCTLR_I | (wxn ? SCTLR_WXN : 0));
	isb();
}

unsigned guest_arch_asid(void)
{
	return (unsigned)(read_ttbr0_el1() >> TTBR_ASID_SHIFT);
}

static void use_vectors(const char *vectors)
{
	write_vbar_el1((reg_t)vectors);
	isb();
}

/* Use the first vectors without a delay, the second with a delay of 2, the third with a longer
 * delay. */
static void use_delayed_vectors(const char *const vectors[3], uint32_t delay_instructions)
{
	write_tpidr_el1(delay_instructions - 2);
	use_vectors(vectors[delay_instructions < 3 ? delay_instructions / 2 : 2]);
}

void guest_arch_irq_delay(uint32_t instructions)
{
	static const char *const vectors[] = { guest_vectors, guest_vectors_delay_2,
					       guest_vectors_delayed };

	use_delayed_vectors(vectors, instructions);
}

void guest_arch_irq_stamps(uint32_t delay_instructions)
{
	static const char *const vectors[] = { guest_vectors_stamped, guest_vectors_stamped_delay_2,
					       guest_vectors_stamped_delayed };

	use_delayed_vectors(vectors, delay_instructions);
}

void guest_arch_el0_vectors(void)
{
	use_vectors(guest_vectors_el0);
}

void guest_arch_survive(void)
{
	use_vectors(guest_vectors_survive);
}

static void text_register(struct text *text, const char *name, uint64_t value)
{
	text_string(text, name);
	text_hex(text, value, 0);
}

void exception_report(reg_t offset, reg_t lr);

/*
 * vectors.S calls this function. The offset of the vector names the exception; lr is ELR_EL1, or LR
 * of that mode.
 */
void exception_report(reg_t offset, reg_t lr)
{
	char buffer[160];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_register(&text, "unexpected exception: vector 0x", offset);
	text_register(&text, " lr 0x", lr);
#define X(name, reg) text_register(&text, " " name " 0x", read_##reg());
	CRASH_REGISTERS(X)
#undef X
	guest_fail(GUEST_EXIT_CRASHED, buffer);
}
