/* SPDX-License-Identifier: Apache-2.0 */
/* A core's variables lie between __start_percore and __stop_percore. tests/unit/cores.c keeps those
 * of the cores that do not have the turn. */
#pragma once

#define CORE_MAX 4

#define PERCPU __attribute__((section("percore")))
#define PERCPU_HOT PERCPU
#define PERCPU_HOT_LAST PERCPU
