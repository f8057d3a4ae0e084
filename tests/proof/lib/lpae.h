/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The descriptors of lib/lpae.h in tables of two entries, so that the proof has a small formula: a
 * level 1 entry covers 16 KiB, a level 2 entry 8 KiB, a level 3 entry 4 KiB.
 */
#pragma once

#include_next "lib/lpae.h"

#undef PTE_COUNT
#define PTE_COUNT 2u
#undef LPAE_SHIFT
#define LPAE_SHIFT(level) (15u - (unsigned)(level))
