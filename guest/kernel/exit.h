/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "abi/hypercall.h"

/* The exit that ends a step with a status. */
_Noreturn void guest_exit(enum guest_exit status);
