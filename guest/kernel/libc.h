/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the C library. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Restore the library's state at the start of the guest, and give malloc() the mapped memory
 * [start, start + size). malloc() has no memory before the first call. */
void libc_reset(uintptr_t start, size_t size);
