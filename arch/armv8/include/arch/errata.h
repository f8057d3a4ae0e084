/* SPDX-License-Identifier: Apache-2.0 */
/* What errata cores of this isa can have that cost instructions on a path of EL2's: where it is
 * false, nothing is compiled in (hyp/cpu/errata.h). */
#pragma once

#define ISA_SPECULATIVE_AT true   /* Cortex-A72 1319367 */
#define ISA_TLBI_INCOMPLETE false /* Cortex-A15 798181 */
