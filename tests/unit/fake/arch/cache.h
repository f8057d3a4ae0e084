/* SPDX-License-Identifier: Apache-2.0 */
/* Cache maintenance, only counted except by set and way: the host's caches are coherent. */
#pragma once

#include "arch/barrier.h"
#include "arch/sysreg.h"

void dcache_clean_invalidate(uintptr_t start, size_t size);
void icache_invalidate_all(void);
void icache_invalidate_core(void);

/* Call fake_set_way; without that hook fail the test. */
void dcache_clean_invalidate_line(uint32_t level_set_way);
