/* SPDX-License-Identifier: Apache-2.0 */
/* HCR_EL2 (DDI 0487 D13.2.48) / HCR (DDI 0406C B4.1.65): the low 32 bits are the same on both. */
#pragma once

#define HCR_VM (1 << 0)      /* stage 2 on */
#define HCR_SWIO (1 << 1)    /* a guest's set/way invalidate also cleans */
#define HCR_PTW (1 << 2)     /* a stage-1 walk through device memory faults */
#define HCR_FMO (1 << 3)     /* FIQs to EL2 */
#define HCR_IMO (1 << 4)     /* IRQs to EL2, virtual IRQs to EL1 */
#define HCR_AMO (1 << 5)     /* SErrors to EL2 */
#define HCR_FB (1 << 9)      /* a guest's TLB and cache maintenance is broadcast */
#define HCR_BSU_IS (1 << 10) /* a guest's barriers reach the inner shareable domain */
#define HCR_TWI (1 << 13)    /* WFI exits */
#define HCR_TSC (1 << 19)    /* SMC exits and never reaches the firmware */
#define HCR_TIDCP (1 << 20)  /* implementation-defined registers exit */
#define HCR_TAC (1 << 21)    /* ACTLR accesses exit */
