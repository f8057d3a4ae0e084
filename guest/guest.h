/* SPDX-License-Identifier: Apache-2.0 */
/* The guest kernel: the ways to end a step. */
#pragma once

#include "abi/guest_run.h"
#include "abi/hypercall.h"
#include "abi/record.h"

/* End the step. */
_Noreturn void guest_exit(enum guest_exit status);

/* Emit an `error` record with this text, then end the step. */
_Noreturn void guest_fail(enum guest_exit status, const char *what);

/* For results that must not be trusted: an `error` record "<what>: <value>", then
 * GUEST_EXIT_REFUSED. `what` may end in "; <advice>", which goes after the value. */
_Noreturn void guest_refuse(const char *what, uint64_t value);

/* Called once, from guest_arch's start. */
_Noreturn void guest_main(const struct guest_run *run);
