/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of one VM. */
#pragma once

#include "guest/probe/calls.h"
#include "guest/probe/interrupts.h"

/* Measure each path and print its line. The line of a missing path has the reason. */
void paths_run(const struct probe_run *run);
