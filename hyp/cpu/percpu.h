/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another core's copies of PERCPU variables. Core 0's are where all have theirs, at their
 * physical address; the other cores' follow each other behind the image's data (linker/hyp.ld.S),
 * where every core has them mapped a second time.
 */
#pragma once

#include "arch/types.h"
#include "lib/percpu.h"

/* Bytes of a core's copies: pages. */
size_t percpu_size(void);

/* Of a core that is not core 0: where its copies are. */
uint8_t *percpu_base(unsigned core);
