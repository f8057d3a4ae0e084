/* SPDX-License-Identifier: Apache-2.0 */
/* CPSR and SPSR (DDI 0406C B1.3.3). */
#pragma once

#define PSR_MODE 0x1f
#define PSR_MODE_FIQ 0x11
#define PSR_MODE_IRQ 0x12
#define PSR_MODE_SVC 0x13
#define PSR_MODE_MON 0x16
#define PSR_MODE_ABT 0x17
#define PSR_MODE_HYP 0x1a
#define PSR_MODE_UND 0x1b
#define PSR_MODE_SYS 0x1f

#define PSR_T (1 << 5)   /* Thumb */
#define PSR_A (1 << 8)   /* asynchronous aborts masked */
#define PSR_AIF (7 << 6) /* asynchronous aborts, IRQ, FIQ masked */
