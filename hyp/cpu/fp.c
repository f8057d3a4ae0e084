/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/cpu/fp.h"

#include "arch/barrier.h"
#include "arch/control.h"
#include "hyp/arch/cpu.h"
#include "lib/percpu.h"

#define UNTRAPPED CPTR_NO_TRAPS
#define TRAPPED (CPTR_NO_TRAPS | CPTR_FP)

static enum fp_mode mode;
static struct fp *owner PERCPU_HOT;    /* owner of the values in the registers */
static struct fp nobody PERCPU;        /* fp_release() switches to this context */
static const struct fp_context zeroes; /* the initial values of a fresh guest */

void fp_move(struct fp *to)
{
	cpu_fp_switch(&owner->context, &to->context);
	owner = to;
}

static void give(struct fp *to)
{
	if (mode == FP_LAZY)
		owner->cptr = TRAPPED;
	to->cptr = UNTRAPPED;
	fp_move(to);
}

void fp_reset(enum fp_mode new_mode)
{
	mode = cpu_has_fp() ? new_mode : FP_STATIC;
	owner = &nobody;
	nobody = (struct fp){ 0 };
}

bool fp_add(struct fp *fp)
{
	fp->context = zeroes;
	if (owner == &nobody)
		owner = fp;
	if (owner == fp)
		write_cptr_el2(UNTRAPPED);
	if (owner == fp && cpu_has_fp()) {
		isb();
		cpu_fp_load(&zeroes);
	}
	fp->cptr = mode == FP_EAGER || fp == owner ? UNTRAPPED : TRAPPED;
	return mode == FP_EAGER;
}

void fp_remove(const struct fp *fp)
{
	if (owner == fp)
		owner = &nobody;
}

/* The trap also applies to EL2, until the barrier. */
bool fp_first_use(struct fp *fp)
{
	if (mode != FP_LAZY)
		return false;
	write_cptr_el2(UNTRAPPED);
	isb();
	give(fp);
	return true;
}

static __attribute__((noinline)) void release(struct fp *fp)
{
	give(&nobody);
	if (mode == FP_EAGER)
		give(fp);
	else
		fp_switch(fp);
}

/* An earlier release may have trapped the registers already: they then have no owner to save. */
void fp_release(struct fp *fp)
{
	if (mode != FP_STATIC && owner == fp)
		release(fp);
}
