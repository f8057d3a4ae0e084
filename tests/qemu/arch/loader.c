/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A boot loader that tidies nothing up: it enters the hypervisor at EL2 with its own MMU and caches
 * on, aborts unmasked, a hypervisor timer that has expired, HCR, CPTR and HSTR preset, the PPIs
 * edge-triggered, and a vector base that leads nowhere. HYP_BASE: where the hypervisor's image
 * begins; GIC_PRIVATE: the distributor, or the redistributor's SGI_base.
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
#define SCTLR 0x30c51835   /* M, C, I */
#define ICFGR1 0xc04
#define NOWHERE 0xdead0000
#ifdef __aarch64__
#define TCR 0x80823520                                          /* 4 GiB, cached walks, 40 bits */
#define HCR (1u << 4 | 1u << 5 | 1u << 8 | 1u << 13 | 1u << 19) /* IMO, AMO, VSE, TWI, TSC; no RW */
#define CPTR 0x37ff                                             /* FP traps */
#define ENTER "mov x29, #0x29\n\tmsr spsel, #0\n\tmsr daifclr, #4\n\tbr %0" /* SError */
#else
#define TCR 0x80803500
#define HCR (1u << 4 | 1u << 5 | 1u << 13 | 1u << 19) /* IMO, AMO, TWI, TSC */
#define CPTR 0xbfff                                   /* all coprocessors */
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

void first_main(void)
{
	translation_on();
	mmio_write32(GIC_PRIVATE + ICFGR1, ~0u);
	write_vbar_el2(NOWHERE);
	write_hcr_el2(HCR);
	write_cptr_el2(CPTR);
	write_hstr_el2(~0u);
	write_vttbr_el2(~UINT64_C(0));
	write_cntvoff_el2(12345);
	write_cnthp_cval_el2(0);
	write_cnthp_ctl_el2(1);
	isb();
	__asm__ volatile(ENTER ::"r"((uintptr_t)HYP_BASE) : "memory");
}
