/* SPDX-License-Identifier: Apache-2.0 */
/* The fake machine's core can have every erratum. */
#pragma once

#include <stdbool.h>

#define ISA_SPECULATIVE_AT true
#define ISA_TLBI_INCOMPLETE true

/* Set by a test: whether the fake image is built with the options of toolchain.mk. */
extern bool fake_built_for_cortex_a53;
#define ISA_A53_SEQUENCES_AVOIDED fake_built_for_cortex_a53
