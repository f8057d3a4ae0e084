/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owner of the FP and SIMD registers of a core. The hypervisor itself uses none.
 *   static the measured guest always owns them; another vCPU that uses them is stopped
 *   lazy   the last vCPU that used them owns them; another vCPU's first use traps and switches them
 *   eager  the running vCPU owns them: each vCPU switch moves them, and no use traps
 */
#pragma once

#include "abi/run_config.h"
#include "arch/fp_context.h"
#include "arch/sysreg.h"

/* FP state of a vCPU. */
struct fp {
	/* CPTR_EL2 of the loaded vCPU, which decides whether its use of FP registers traps */
	reg_t cptr;
	struct fp_context context; /* invalid while the core holds the registers */
};

/* Reset the core's owner: no vCPU. */
void fp_reset(enum fp_mode mode);

/* Add a vCPU whose FP registers are all zero. The vCPU gets the core's registers at once if they
 * have no owner. Return true if every switch must call fp_move(). */
bool fp_add(struct fp *fp);

/* Remove the vCPU from its core. */
void fp_remove(const struct fp *fp);

/* Switch the core to another vCPU: with eager, which traps no use, by fp_move(), else by
 * fp_switch(). */
static inline void fp_switch(const struct fp *to)
{
	write_cptr_el2(to->cptr);
}
void fp_move(struct fp *to);

/*
 * A use of FP registers trapped. Give them to the vCPU and return true, or return false if this
 * mode forbids the use.
 */
bool fp_first_use(struct fp *fp);

/* HC_FP_RELEASE: act as if another vCPU that uses FP registers had run. */
void fp_release(struct fp *fp);
