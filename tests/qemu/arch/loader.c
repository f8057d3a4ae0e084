/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A boot loader that cleans nothing up: it enters the hypervisor at EL2 with its own MMU and caches
 * on, alignment checked, aborts unmasked, a hypervisor timer that has expired, HCR, CPTR, HSTR,
 * CNTHCTL and the debug traps preset, and a vector base without memory. The GIC has every interrupt
 * enabled at the highest priority, edge-triggered, pending and active, SPIs for another core, an
 * acknowledged interrupt of each group that is not ended, and virtual interrupts in list registers.
 * HYP_BASE: where the hypervisor's image begins; GIC_PRIVATE: the distributor, or the
 * redistributor's SGI_base; GIC_VERSION: 2 or 3.
 */
#include <stdint.h>

#include "arch/barrier.h"
#include "arch/mmio.h"
#include "arch/sysreg.h"
#include "arch/tlb.h"
#include "vcpus.h"

#define GIB (UINT64_C(1) << 30)
#define DEVICE_BLOCK 0x401 /* AF, MAIR index 0 */
#define NORMAL_BLOCK 0x705 /* AF, inner shareable, MAIR index 1 */
#define SCTLR 0x30c51837   /* M, A, C, I */
#define GICD 0x08000000
#define GICC 0x08010000
#define GICH 0x08030000
#define CTLR 0x000
#define WAKER 0x014
#define IGROUPR 0x080
#define ISENABLER 0x100
#define ISPENDR 0x200
#define ISACTIVER 0x300
#define IPRIORITYR 0x400
#define ITARGETSR 0x800
#define ICFGR 0xc00
#define SGIR 0xf00
#define IROUTER 0x6000
#define GICC_PMR 0x004
#define GICC_IAR 0x00c
#define GICH_LR 0x100
#define GICR_FRAME 0x10000
#define SPI_WORDS 8 /* words of 32 INTIDs: the private interrupts and 224 SPIs */
#define NOWHERE 0xdead0000
#ifdef __aarch64__
#define TCR 0x80823520                                          /* 4 GiB, cached walks, 40 bits */
#define HCR (1u << 4 | 1u << 5 | 1u << 8 | 1u << 13 | 1u << 19) /* IMO, AMO, VSE, TWI, TSC; no RW */
#define CPTR 0x37ff                                             /* FP traps */
/* CNTHCTL_EL2 denies EL1 the counter; MDCR_EL2 has every trap of debug and of the PMU */
#define LEAVE_TRAPS                                                                                \
	__asm__ volatile("msr cnthctl_el2, xzr\n\tmsr mdcr_el2, %0" ::"r"(UINT64_C(0xfe0)))
#define ENTER "mov x29, #0x29\n\tmsr spsel, #0\n\tmsr daifclr, #4\n\tbr %0" /* SError */
#else
#define TCR 0x80803500
#define HCR (1u << 4 | 1u << 5 | 1u << 13 | 1u << 19) /* IMO, AMO, TWI, TSC */
#define CPTR 0xbfff                                   /* all coprocessors */
#define LEAVE_TRAPS                                   /* CNTHCTL, HDCR */                          \
	__asm__ volatile("mcr p15, 4, %0, c14, c1, 0\n\tmcr p15, 4, %1, c1, c1, 1" ::"r"(0),       \
			 "r"(0xfe0))
#define ENTER "cpsie a\n\tbx %0"
#endif

static uint64_t table[512] __attribute__((aligned(4096)));

/* An identity map of 4 GiB: devices below 1 GiB, normal memory above. */
static void translation_on(void)
{
	table[0] = DEVICE_BLOCK;
	for (unsigned i = 1; i < 4; i++)
		table[i] = i * GIB | NORMAL_BLOCK;
	write_ttbr0_el2((uintptr_t)table);
	write_mair_el2(0xff04);
	write_tcr_el2(TCR);
	dsb_sy();
	tlbi_el2_all();
	write_sctlr_el2(SCTLR);
	isb();
}

/* Leave 32 interrupts enabled at the highest priority, edge-triggered and pending, half of them
 * active. */
static void leave_bank(uintptr_t bank, unsigned word)
{
	mmio_write32(bank + ICFGR + 8 * word, ~0u);
	mmio_write32(bank + ICFGR + 8 * word + 4, ~0u);
	for (unsigned i = 0; i < 8; i++)
		mmio_write32(bank + IPRIORITYR + 32 * word + 4 * i, 0);
	mmio_write32(bank + ISENABLER + 4 * word, ~0u);
	mmio_write32(bank + ISPENDR + 4 * word, ~0u);
	mmio_write32(bank + ISACTIVER + 4 * word, ~0u << 16);
}

#if GIC_VERSION == 2
static void leave_interfaces(void)
{
	mmio_write32(GICD + CTLR, 1);
	mmio_write32(GICC + GICC_PMR, 0xff);
	mmio_write32(GICC + CTLR, 1);
	mmio_write32(GICD + SGIR, 1u << 16 | 3); /* SGI 3 to this core */
	dsb_sy();
	(void)mmio_read32(GICC + GICC_IAR);
	for (unsigned i = 0; i < 4; i++) /* pending, with INTIDs 40 to 43 */
		mmio_write32(GICH + GICH_LR + 4 * i, 1u << 28 | (40 + i));
	mmio_write32(GICH + CTLR, 1);
}

static void route(unsigned intid)
{
	mmio_write32(GICD + ITARGETSR + (intid & ~3u), 0x02020202);
}
#else
static void leave_interfaces(void)
{
	mmio_write32(GICD + CTLR, 1u << 4 | 3); /* ARE, both groups */
	mmio_write32(GIC_PRIVATE - GICR_FRAME + WAKER, 0);
	mmio_write32(GIC_PRIVATE + IGROUPR, ~0u);
	mmio_write32(GIC_PRIVATE + ISENABLER, 1u << 3);
	dsb_sy();
	__asm__ volatile("msr s3_4_c12_c9_5, %0\n\tisb" ::"r"(UINT64_C(9)));  /* ICC_SRE_EL2 */
	__asm__ volatile("msr s3_0_c12_c12_5, %0\n\tisb" ::"r"(UINT64_C(1))); /* ICC_SRE_EL1 */
	__asm__ volatile("msr s3_0_c4_c6_0, %0" ::"r"(UINT64_C(0xff)));       /* ICC_PMR_EL1 */
	__asm__ volatile("msr s3_0_c12_c12_7, %0\n\tisb" ::"r"(UINT64_C(1))); /* ICC_IGRPEN1_EL1 */
	__asm__ volatile("msr s3_0_c12_c11_5, %0\n\tisb" ::"r"(UINT64_C(3) << 24 | 1)); /* SGI1R */
	dsb_sy();
	uint64_t acknowledged;
	__asm__ volatile("mrs %0, s3_0_c12_c12_0" : "=r"(acknowledged)); /* ICC_IAR1_EL1 */
	__asm__ volatile("msr s3_0_c12_c8_4, %0" ::"r"(UINT64_C(1)));    /* ICC_AP0R0_EL1 */
	__asm__ volatile("msr s3_4_c12_c12_0, %0" ::"r"(UINT64_C(5) << 60 | 40)); /* ICH_LR0_EL2 */
	__asm__ volatile("msr s3_4_c12_c11_0, %0\n\tisb" ::"r"(UINT64_C(1)));     /* ICH_HCR_EL2 */
}

static void route(unsigned intid)
{
	mmio_write32(GICD + IROUTER + 8 * intid, 1);
}
#endif

static void leave_interrupts(void)
{
	leave_interfaces();
	for (unsigned intid = 32; intid < 32 * SPI_WORDS; intid++)
		route(intid);
	leave_bank(GIC_PRIVATE, 0);
	for (unsigned word = 1; word < SPI_WORDS; word++)
		leave_bank(GICD, word);
}

void first_main(void)
{
	translation_on();
	leave_interrupts();
	write_vbar_el2(NOWHERE);
	write_hcr_el2(HCR);
	write_cptr_el2(CPTR);
	write_hstr_el2(~0u);
	write_vttbr_el2(~UINT64_C(0));
	write_cntvoff_el2(12345);
	write_cnthp_cval_el2(0);
	write_cnthp_ctl_el2(1);
	LEAVE_TRAPS;
	isb();
	__asm__ volatile(ENTER ::"r"((uintptr_t)HYP_BASE) : "memory");
}
