/* SPDX-License-Identifier: Apache-2.0 */
/* The entry of the guest kernel in C. */
#pragma once

#include "abi/guest_run.h"

/* Called once, from guest_arch's start. */
_Noreturn void guest_main(const struct guest_run *run);
