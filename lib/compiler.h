/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A function that a hot path calls rarely. The compiler keeps it out of line and away from hot
 * code. */
#define __cold __attribute__((noinline, cold))
