/* SPDX-License-Identifier: Apache-2.0 */
/* Errata of this isa's cores that cost instructions on a path of EL2. A false value removes the
 * workaround from the image (hyp/cpu/errata.h). */
#pragma once

#define ISA_SPECULATIVE_AT true   /* Cortex-A72 1319367, A53 1530924 */
#define ISA_TLBI_INCOMPLETE false /* Cortex-A15 798181 */

/* True if the image is built without the sequences of Cortex-A53 835769 and 843419. toolchain.mk
 * has the options and defines this word. */
#define ISA_A53_SEQUENCES_AVOIDED BUILT_FOR_CORTEX_A53
