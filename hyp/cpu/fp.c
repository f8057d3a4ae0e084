/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/cpu/fp.h"

#include "arch/barrier.h"
#include "hyp/arch/cpu.h"
#include "lib/percpu.h"

static enum fp_mode mode;
static struct fp_context *owner PERCPU; /* whose values the registers hold */
static struct fp_context nobody PERCPU; /* the other vCPU of fp_release() */
static const struct fp_context zeroes;  /* what a fresh guest finds */

static void give(struct fp_context *to)
{
	cpu_fp_save(owner);
	cpu_fp_load(to);
	owner = to;
}

void fp_start(enum fp_mode new_mode, struct fp_context *guest)
{
	mode = cpu_has_fp() ? new_mode : FP_STATIC;
	owner = guest;
	nobody = zeroes;
	if (!cpu_has_fp())
		return;
	cpu_fp_trap(false);
	isb();
	cpu_fp_load(&zeroes);
}

void fp_switch(struct fp_context *to)
{
	if (mode == FP_EAGER)
		give(to);
	else
		cpu_fp_trap(owner != to);
}

/* The trap holds for EL2 as well, until the barrier. */
bool fp_first_use(struct fp_context *vcpu)
{
	if (mode != FP_LAZY)
		return false;
	cpu_fp_trap(false);
	isb();
	if (owner != vcpu)
		give(vcpu);
	return true;
}

/* The registers may be trapped already: released twice in a row. Then the second is nobody's. */
void fp_release(struct fp_context *vcpu)
{
	if (mode == FP_STATIC || owner != vcpu)
		return;
	give(&nobody);
	if (mode == FP_EAGER)
		give(vcpu);
	else
		cpu_fp_trap(true);
}
