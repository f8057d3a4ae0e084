/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 of IEEE 802.3 (reflected, polynomial 0x04c11db7), the one zlib computes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The CRC of a text and then `size` more bytes, given the CRC of the text; of nothing it is 0. */
uint32_t crc32_update(uint32_t crc, const void *data, size_t size);
