/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access to another core's copies of PERCPU variables. Core 0's copies are at the address of the
 * variables. The other cores' copies follow the image's data (linker/hyp.ld.S), where every core
 * maps them a second time.
 */
#pragma once

#include "arch/types.h"
#include "lib/percpu.h"

/* Bytes of a core's copies, whole pages. */
size_t percpu_size(void);

/* Address of a core's copies. */
uint8_t *percpu_base(unsigned core);
