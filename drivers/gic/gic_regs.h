/* SPDX-License-Identifier: Apache-2.0 */
/* Register offsets, named as in the manuals (IHI 0048B chapter 4; IHI 0069 chapter 12), for the
 * drivers and for the emulated distributor. */
#pragma once

/*
 * Distributor. The SGI_base frame of a redistributor has the registers from IGROUPR to ICFGR, too.
 */
#define GICD_CTLR 0x000u
#define GICD_TYPER 0x004u
#define GICD_IIDR 0x008u
#define GICD_IGROUPR 0x080u
#define GICD_ISENABLER 0x100u
#define GICD_ICENABLER 0x180u
#define GICD_ISPENDR 0x200u
#define GICD_ICPENDR 0x280u
#define GICD_ISACTIVER 0x300u
#define GICD_ICACTIVER 0x380u
#define GICD_IPRIORITYR 0x400u
#define GICD_ITARGETSR 0x800u
#define GICD_ICFGR 0xc00u
#define GICD_IGRPMODR 0xd00u
#define GICD_SGIR 0xf00u
#define GICD_CPENDSGIR 0xf10u
#define GICD_SPENDSGIR 0xf20u
#define GICD_IROUTER 0x6000u
#define GICD_V2_PIDR2 0xfe8u
#define GICD_V3_PIDR2 0xffe8u

#define GICD_CTLR_ENABLE_GRP0 (1u << 0)
#define GICD_CTLR_ENABLE_GRP1 (1u << 1)
#define GICD_CTLR_ARE (1u << 4)
#define GICD_CTLR_ARE_NS (1u << 5) /* in the Secure view, next to its own ARE bit */
#define GICD_CTLR_DS (1u << 6)     /* one security state (GICv3) */
#define GICD_CTLR_RWP (1u << 31)
#define GICD_TYPER_SECURITY (1u << 10) /* two security states */

/* GICv2 CPU interface, and GICV, which has the same layout */
#define GICC_CTLR 0x000u
#define GICC_PMR 0x004u
#define GICC_BPR 0x008u
#define GICC_IAR 0x00cu
#define GICC_EOIR 0x010u
#define GICC_APR0 0x0d0u
#define GICC_IIDR 0x0fcu
#define GICC_DIR 0x1000u
#define GICC_CTLR_ENABLE_GRP0 (1u << 0)
#define GICC_CTLR_ENABLE_GRP1 (1u << 1)
#define GICC_CTLR_EOIMODE (1u << 9)

/* GICv2 virtual interface control */
#define GICH_HCR 0x000u
#define GICH_VTR 0x004u
#define GICH_VMCR 0x008u
#define GICH_EISR0 0x020u
#define GICH_ELRSR0 0x030u
#define GICH_APR 0x0f0u
#define GICH_LR0 0x100u

/* GICv3 redistributor */
#define GICR_CTLR 0x0000u
#define GICR_IIDR 0x0004u
#define GICR_TYPER 0x0008u
#define GICR_WAKER 0x0014u
#define GICR_SGI_OFFSET 0x10000u
#define GICR_WAKER_PROCESSOR_SLEEP (1u << 1)
#define GICR_WAKER_CHILDREN_ASLEEP (1u << 2)
