/* SPDX-License-Identifier: Apache-2.0 */
/* What the C library asks of a system: memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The library as it was when the guest started, malloc() with [start, start + size) to give away,
 * mapped. Until the first call there is no memory. */
void libc_reset(uintptr_t start, size_t size);
