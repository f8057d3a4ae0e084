/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that do not link newer.c run on an Armv8.0 core. */
#include "hyp/arch/cpu.h"
#include "tests/unit/fake/function.h"

FAKE_VALUE_FUNC(bool, newer_is_there, (void), false)
FAKE_VOID_FUNC(newer_save, (struct newer_el1 * regs))
FAKE_VOID_FUNC(newer_restore, (const struct newer_el1 *regs))
