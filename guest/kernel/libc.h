/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the C library. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Put the library in its state at the start of the guest. malloc() gets [start, start + size),
 * which must be mapped. Until the first call there is no memory. */
void libc_reset(uintptr_t start, size_t size);
