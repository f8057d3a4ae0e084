/* SPDX-License-Identifier: Apache-2.0 */
/* Counted barriers. An isb makes register writes take effect, a dsb shows tables to the TLB. */
#pragma once

#include "tests/unit/fake/fake.h"

#define X(name) void name(void);
FAKE_BARRIERS(X)
#undef X
