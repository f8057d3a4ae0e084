/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another core's copies of PER_CORE variables. Core 0's are where all have theirs, at their physical
 * address; the other cores' follow each other behind the image's data (linker/hyp.ld.S), where
 * every core has them mapped a second time.
 */
#pragma once

#include "arch/types.h"
#include "lib/per_core.h"

/* Bytes of a core's copies: pages. */
size_t per_core_size(void);

/* Of a core that is not core 0: where its copies are. */
uint8_t *per_core_base(unsigned core);

/* On core 0: `variable`, PER_CORE, as `core` has it. */
void *per_core_of(void *variable, unsigned core);
