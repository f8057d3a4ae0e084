/* SPDX-License-Identifier: Apache-2.0 */
/* Errata of this isa's cores that cost instructions on a path of EL2. A false value removes the
 * workaround from the image (hyp/cpu/errata.h). */
#pragma once

#define ISA_SPECULATIVE_AT false /* Cortex-A72 1319367 */
#define ISA_TLBI_INCOMPLETE true /* Cortex-A15 798181 */

/* The sequences of Cortex-A53 835769 and 843419 consist of A64 instructions. */
#define ISA_A53_SEQUENCES_AVOIDED true
