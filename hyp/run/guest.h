/* SPDX-License-Identifier: Apache-2.0 */
/* The two types of VMs: for the bench guest (guest_bench.c) and for an unmodified guest
 * (guest_unmodified.c). */
#pragma once

#include "hyp/vm/machine.h"

extern const struct vm_type vm_type_bench, vm_type_unmodified;

/* Returns whether the embedded image of the bench guest fits this board; if not, `why` has the
 * reason. */
bool guest_bench_check(const char **why);

/* Describes the machine of the bench guest, which gets `run` in its RAM. */
void guest_bench(struct vm_machine *machine, const struct guest_run *run);

/* Describes the machine of the unmodified guest of `plan`: it looks like QEMU's virt; with stage 2
 * off it is the board. Returns false where this board cannot run it; `why` has the reason. */
bool guest_unmodified(struct vm_machine *machine, const struct plan_guest *plan,
		      const struct run_config *config, const char **why);
