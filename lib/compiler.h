/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A function that a hot path calls rarely: kept out of its callers, and away from them. */
#define __cold __attribute__((noinline, cold))
