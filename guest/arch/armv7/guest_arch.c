/* SPDX-License-Identifier: Apache-2.0 */
/* What the guest does differently on AArch32: translation control, vectors, the crash report. */
#include "guest/guest_arch.h"

#include "arch/barrier.h"
#include "arch/tlb.h"
#include "guest/guest.h"
#include "guest/mmu.h"
#include "lib/lpae.h"
#include "lib/text.h"

#define CP15_WRITE(encoding, value) __asm__ volatile("mcr " encoding : : "r"(value) : "memory")
#define CP15_READ(encoding)                                                                        \
	({                                                                                         \
		reg_t cp15_value;                                                                  \
		__asm__ volatile("mrc " encoding : "=r"(cp15_value));                              \
		cp15_value;                                                                        \
	})

#define CP15_SCTLR "p15, 0, %0, c1, c0, 0"
#define CP15_TTBCR "p15, 0, %0, c2, c0, 2"
#define CP15_DFSR "p15, 0, %0, c5, c0, 0"
#define CP15_IFSR "p15, 0, %0, c5, c0, 1"
#define CP15_DFAR "p15, 0, %0, c6, c0, 0"
#define CP15_IFAR "p15, 0, %0, c6, c0, 2"
#define CP15_MAIR0 "p15, 0, %0, c10, c2, 0"
#define CP15_VBAR "p15, 0, %0, c12, c0, 0"
#define CP15_TPIDRPRW "p15, 0, %0, c13, c0, 4"

/* TTBCR (DDI 0406C B4.1.153) with EAE: TTBR0 covers all 4 GiB, so the walk begins at level 1;
 * table walks write-back, inner shareable; nothing in TTBR1. */
#define TTBCR_IRGN0_WB (1u << 8)
#define TTBCR_ORGN0_WB (1u << 10)
#define TTBCR_SH0_INNER (3u << 12)
#define TTBCR_EPD1 (1u << 23)
#define TTBCR_EAE (1u << 31)
#define TTBR_HIGH_ASID_SHIFT 16 /* in its upper word */

#define SCTLR_M (1u << 0)
#define SCTLR_A (1u << 1)
#define SCTLR_C (1u << 2)
#define SCTLR_Z (1u << 11)
#define SCTLR_I (1u << 12)
#define SCTLR_V (1u << 13) /* vectors at 0xffff0000 */
#define SCTLR_WXN (1u << 19)
#define SCTLR_TRE (1u << 28)
#define SCTLR_EE (1u << 25) /* exceptions big-endian */
#define SCTLR_TE (1u << 30) /* exceptions in Thumb state */

extern char guest_vectors[], guest_vectors_delay_2[], guest_vectors_delayed[];
extern char guest_vectors_el0[];
extern char guest_vectors_stamped[], guest_vectors_stamped_delay_2[];
extern char guest_vectors_stamped_delayed[], guest_vectors_survive[];

volatile uint32_t guest_faults_allowed; /* vectors.S counts it down */
extern uint32_t guest_survive_registers[2];
uint32_t guest_survive_registers[2]; /* r0 and r1 meanwhile */

/* Execution needs read access here, so PL0 has none. */
uint64_t guest_arch_text_attributes(void)
{
	return S1_AP_RO_PRIV;
}

/* EAE first: with it off, the register behind MAIR0 is PRRR. */
void guest_arch_mmu_on(uintptr_t root, bool wxn)
{
	reg_t sctlr = CP15_READ(CP15_SCTLR);

	CP15_WRITE(CP15_TTBCR,
		   TTBCR_EAE | TTBCR_EPD1 | TTBCR_SH0_INNER | TTBCR_ORGN0_WB | TTBCR_IRGN0_WB);
	isb();
	CP15_WRITE(CP15_MAIR0, MAIR_VALUE);
	__asm__ volatile("mcrr p15, 0, %0, %1, c2"
			 :
			 : "r"(root), "r"(MMU_ASID << TTBR_HIGH_ASID_SHIFT)
			 : "memory"); /* TTBR0 */
	tlbi_el1_all();
	sctlr &= ~(SCTLR_A | SCTLR_V | SCTLR_EE | SCTLR_TE | SCTLR_TRE);
	sctlr |= SCTLR_M | SCTLR_C | SCTLR_Z | SCTLR_I | (wxn ? SCTLR_WXN : 0);
	CP15_WRITE(CP15_SCTLR, sctlr);
	isb();
}

unsigned guest_arch_asid(void)
{
	reg_t low, high;

	__asm__ volatile("mrrc p15, 0, %0, %1, c2" : "=r"(low), "=r"(high));
	return high >> TTBR_HIGH_ASID_SHIFT & 0xff;
}

/* plain, and for a delay of 2 and of more instructions */
static void use_vectors(const char *const vectors[3], uint32_t delay_instructions)
{
	CP15_WRITE(CP15_TPIDRPRW, delay_instructions - 2);
	CP15_WRITE(CP15_VBAR, vectors[delay_instructions < 3 ? delay_instructions / 2 : 2]);
	isb();
}

void guest_arch_irq_delay(uint32_t instructions)
{
	static const char *const vectors[] = { guest_vectors, guest_vectors_delay_2,
					       guest_vectors_delayed };

	use_vectors(vectors, instructions);
}

void guest_arch_irq_stamps(uint32_t delay_instructions)
{
	static const char *const vectors[] = { guest_vectors_stamped, guest_vectors_stamped_delay_2,
					       guest_vectors_stamped_delayed };

	use_vectors(vectors, delay_instructions);
}

void guest_arch_el0_vectors(void)
{
	CP15_WRITE(CP15_VBAR, guest_vectors_el0);
	isb();
}

void guest_arch_survive(void)
{
	CP15_WRITE(CP15_VBAR, (reg_t)guest_vectors_survive);
	isb();
}

static void text_register(struct text *text, const char *name, reg_t value)
{
	text_string(text, name);
	text_hex(text, value, 0);
}

void exception_report(reg_t offset, reg_t lr);

/* From vectors.S: the offset of the vector names the exception. */
void exception_report(reg_t offset, reg_t lr)
{
	char buffer[160];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_register(&text, "unexpected exception: vector 0x", offset);
	text_register(&text, " lr 0x", lr);
	text_register(&text, " dfsr 0x", CP15_READ(CP15_DFSR));
	text_register(&text, " dfar 0x", CP15_READ(CP15_DFAR));
	text_register(&text, " ifsr 0x", CP15_READ(CP15_IFSR));
	text_register(&text, " ifar 0x", CP15_READ(CP15_IFAR));
	guest_fail(GUEST_EXIT_CRASHED, buffer);
}
