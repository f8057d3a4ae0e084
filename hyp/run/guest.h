/* SPDX-License-Identifier: Apache-2.0 */
/* A VM has one of two types: that of the bench guest (guest_bench.c), and that of an unmodified
 * guest (guest_unmodified.c). */
#pragma once

#include "hyp/vm/machine.h"

extern const struct vm_type vm_type_bench, vm_type_unmodified;

/* Whether the embedded image of the bench guest fits this board. False: `why` is the reason. */
bool guest_bench_check(const char **why);

/* The machine of the bench guest, which finds `run` in its RAM. */
void guest_bench(struct vm_machine *machine, const struct guest_run *run);

/* The machine of the guest that `plan` describes: it looks like QEMU's virt; with stage 2 off the
 * guest has the board as it is. False: not on this board, `why` is the reason. */
bool guest_unmodified(struct vm_machine *machine, const struct plan_guest *plan,
		      const struct run_config *config, const char **why);
