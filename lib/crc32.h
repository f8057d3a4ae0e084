/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 of IEEE 802.3 (reflected, polynomial 0x04c11db7), as zlib computes it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Return the CRC of a text followed by `size` bytes, given the CRC of the text. The CRC of an empty
 * text is 0.
 */
uint32_t crc32_update(uint32_t crc, const void *data, size_t size);
