/* SPDX-License-Identifier: Apache-2.0 */
/* Random sequences for the oracle of several vCPUs (smp_oracle.h), on the GIC version of the linked
 * driver. From the environment: STEPS, of both versions; SEED. */
#pragma once

int smp_random_tests(const char *name);
