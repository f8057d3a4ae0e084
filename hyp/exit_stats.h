/* SPDX-License-Identifier: Apache-2.0 */
/* Exit statistics and the trace ring of this core; fed by the instrumented traps only. */
#pragma once

#include "abi/exit_kind.h"
#include "abi/run_config.h"
#include "arch/types.h"

/* Empties both; what is off is not fed. */
void exit_stats_reset(const struct run_config *config);

/* Whose exits follow: the VM that has the core now, by its VMID. */
void exit_stats_vm(uint8_t vmid);

/* One exit: its kind, an argument worth tracing, and CNTPCT ticks at its two ends. */
void exit_stats_add(enum exit_kind kind, uint64_t arg, uint64_t start_ticks, uint64_t end_ticks);

/* `exits` and `trace` records of what was gathered. */
void exit_stats_emit(void);
