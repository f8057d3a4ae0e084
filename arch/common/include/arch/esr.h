/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ESR_EL2 (DDI 0487 D13.2.37) and HSR (DDI 0406C B3.13.6) share one layout and one set of exception
 * classes. If only one isa has a class, the comment names that isa.
 */
#pragma once

#define ESR_EC_SHIFT 26
#define ESR_EC(esr) (((esr) >> ESR_EC_SHIFT) & 0x3fu)
#define ESR_IL (1u << 25) /* 1 for a 32-bit instruction, 0 for a 16-bit instruction */

#define EC_UNKNOWN 0x00u
#define EC_WFX 0x01u
#define EC_CP15_32 0x03u /* v7: MCR/MRC p15 */
#define EC_CP15_64 0x04u /* v7: MCRR/MRRC p15 */
#define EC_CP14_32 0x05u
#define EC_CP14_LDC 0x06u /* LDC and STC */
#define EC_FP 0x07u
#define EC_CP10_ID 0x08u /* v7: VMRS of an identification register */
#define EC_PAUTH 0x09u   /* v8: pointer authentication */
#define EC_CP14_64 0x0cu
#define EC_HVC32 0x12u /* v7 */
#define EC_SMC32 0x13u /* v7 */
#define EC_SVC64 0x15u
#define EC_HVC64 0x16u    /* v8 */
#define EC_SMC64 0x17u    /* v8 */
#define EC_SYSREG 0x18u   /* v8: MSR/MRS */
#define EC_SVE 0x19u      /* v8 */
#define EC_SME 0x1du      /* v8 */
#define EC_IABT_LOW 0x20u /* instruction abort from a lower level */
#define EC_DABT_LOW 0x24u /* data abort from a lower level */

/* ISS of a data abort */
#define DABT_ISV (1u << 24)                /* bits 23:14 describe the access */
#define DABT_SAS(iss) (((iss) >> 22) & 3u) /* log2 of the access size in bytes */
#define DABT_SAS_MASK (3u << 22)
#define DABT_SAS_WORD (2u << 22)
#define DABT_SSE (1u << 21)                   /* the load sign-extends */
#define DABT_SRT(iss) (((iss) >> 16) & 0x1fu) /* the register; 31 is the zero register on v8 */
#define DABT_SF (1u << 15)                    /* v8: the register is 64 bits wide */
#define DABT_S1PTW (1u << 7) /* the fault is on a stage-1 walk, not on the access */
#define DABT_CM (1u << 8)    /* cache maintenance */
#define DABT_WNR (1u << 6)   /* a write */
#define ABT_FSC(iss) ((iss)&0x3fu)

/* ISS of MSR and MRS, v8 */
#define SYSREG_RT(iss) (((iss) >> 5) & 0x1fu) /* 31 is the zero register */

/* Fault status code, without its level: bits 5:2 */
#define FSC_TRANSLATION 0x04u
#define FSC_PERMISSION 0x0cu
#define FSC_EXTERNAL 0x10u       /* synchronous */
#define FSC_ASYNC_EXTERNAL 0x11u /* v7: an asynchronous abort comes as a data abort */
#define FSC_EXTERNAL_WALK 0x14u  /* synchronous, on a stage-1 walk; its level in bits 1:0 */
#define FSC_ALIGNMENT 0x21u
#define FSC_TYPE(fsc) ((fsc)&0x3cu)

/* ISS of WFI/WFE */
#define WFX_WFE 1u
