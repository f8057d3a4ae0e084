/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Translation-table descriptors with a 4 KiB granule: VMSAv8-64 (DDI 0487 D8.3) and the ARMv7
 * Large Physical Address Extension (DDI 0406C B3.6) share their format. A table holds 512 entries
 * of 8 bytes; level 1 entries cover 1 GiB, level 2 2 MiB, level 3 4 KiB.
 */
#pragma once

#include <stdint.h>

typedef uint64_t pte_t;

#define PTE_COUNT 512u
#define PTE_VALID ((pte_t)1 << 0)
#define PTE_TABLE ((pte_t)1 << 1) /* levels 1, 2: 1 for a table, 0 for a block; level 3: always 1 */
#define PTE_ADDRESS 0x000000fffffff000ull /* bits 39:12 */
#define PTE_AF ((pte_t)1 << 10)           /* access flag: no fault at first use */
#define PTE_SH_INNER ((pte_t)3 << 8)
#define PTE_XN ((pte_t)1 << 54) /* execute never */

/* Stage 1 */
#define S1_ATTR(index) ((pte_t)(index) << 2) /* index into MAIR */
#define S1_AP_RW_PRIV ((pte_t)0 << 6)        /* read/write, privileged only (EL2: AP[1] is 1) */
#define S1_AP_RW_ALL ((pte_t)1 << 6)
#define S1_AP_RO_PRIV ((pte_t)2 << 6)
#define S1_AP_RO_ALL ((pte_t)3 << 6)
#define S1_NG ((pte_t)1 << 11)  /* tagged by ASID */
#define S1_PXN ((pte_t)1 << 53) /* privileged execute never */

/* Stage 2 */
#define S2_MEMATTR_NORMAL ((pte_t)0xf << 2) /* inner and outer write-back; stage 1 decides */
#define S2_MEMATTR_DEVICE ((pte_t)0x1 << 2) /* Device-nGnRE, whatever the type of stage 1 */
#define S2_AP_RO ((pte_t)1 << 6)
#define S2_AP_RW ((pte_t)3 << 6)

/* The number of bytes that an entry of a level (1, 2, 3) covers. */
#define LPAE_SHIFT(level) (39u - 9u * (unsigned)(level))
#define LPAE_SIZE(level) ((uint64_t)1 << LPAE_SHIFT(level))
#define LPAE_INDEX(address, level) ((unsigned)((address) >> LPAE_SHIFT(level)) & (PTE_COUNT - 1))

/* MAIR of EL1, EL2 and HYP in this project: one attribute byte for each index. */
#define MAIR_DEVICE_INDEX 0u /* 0x04: Device-nGnRE */
#define MAIR_NORMAL_INDEX 1u /* 0xff: write-back, read and write allocate */
#define MAIR_VALUE 0xff04u
