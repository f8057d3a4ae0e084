/* SPDX-License-Identifier: Apache-2.0 */
/* Situations by name, each with every setup of the oracle. */
#pragma once

/* The tests of both GIC versions. */
int vgic_case_tests(const char *name);
