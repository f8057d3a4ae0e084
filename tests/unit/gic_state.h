/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of drivers/gic's virtual interface, as it is switched; for both GIC versions. */
#pragma once

int gic_state_tests(void);
