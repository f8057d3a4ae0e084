/* SPDX-License-Identifier: Apache-2.0 */
/* The fake machine's core can have every erratum. */
#pragma once

#define ISA_SPECULATIVE_AT true
#define ISA_TLBI_INCOMPLETE true
