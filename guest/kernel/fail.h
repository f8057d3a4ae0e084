/* SPDX-License-Identifier: Apache-2.0 */
/* End a step with an error record. */
#pragma once

#include <stdint.h>

#include "abi/hypercall.h"

/* Emit an `error` record with this text, then end the step. */
_Noreturn void guest_fail(enum guest_exit status, const char *what);

/* Refuse a result that must not be trusted: emit an `error` record "<what>: <value>", then end the
 * step with GUEST_EXIT_REFUSED. Text of `what` after a ';' is advice and stands after the value. */
_Noreturn void guest_refuse(const char *what, uint64_t value);
