/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that a test answers, see fake_call. */
#pragma once

#include "arch/types.h"

reg_t hvc(reg_t id, reg_t a1, reg_t a2);
reg_t smc(reg_t id, reg_t a1, reg_t a2);
