/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "abi/hypercall.h"

/* End the step with this status. */
_Noreturn void guest_exit(enum guest_exit status);
