/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owner of the FP and SIMD registers in the core. The hypervisor itself uses none.
 *   static the measured guest's, always; another vCPU that uses them is stopped
 *   lazy   the vCPU that used them last; another vCPU's first use of them traps, and switches them
 *   eager  the running vCPU's: switched with it, never trapped
 */
#pragma once

#include "abi/run_config.h"
#include "arch/fp_context.h"
#include "arch/sysreg.h"

/* Of a vCPU. */
struct fp {
	reg_t cptr; /* CPTR_EL2 while the vCPU is loaded: whether its use of FP registers traps */
	struct fp_context context; /* unless the core holds them */
};

/* The core begins anew, with no vCPU. */
void fp_reset(enum fp_mode mode);

/* A vCPU of the core starts with zero in all of its FP registers; the core has them at once where
 * it has nobody's. True: fp_give() at every switch. */
bool fp_add(struct fp *fp);

/* The vCPU is the core's no longer. */
void fp_remove(const struct fp *fp);

/* The core goes to another vCPU; and, with eager, the registers too. */
static inline void fp_switch(const struct fp *to)
{
	write_cptr_el2(to->cptr);
}
void fp_move(struct fp *to);

/* A use of FP registers trapped: they are the vCPU's on return, true. False: not with this mode. */
bool fp_first_use(struct fp *fp);

/* HC_FP_RELEASE: as though another vCPU that uses FP registers had run in between. */
void fp_release(struct fp *fp);
