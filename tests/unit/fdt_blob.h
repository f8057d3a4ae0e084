/* SPDX-License-Identifier: Apache-2.0 */
/* Makes device trees for tests. A blob has just the bytes that it says it has, on the heap, so that
 * a read outside of it does not go unseen. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FDT_BLOB_MAX 4096u

struct fdt_blob {
	uint8_t structure[FDT_BLOB_MAX];
	size_t structure_size;
	char strings[FDT_BLOB_MAX];
	size_t strings_size;
};

void blob_word(struct fdt_blob *blob, uint32_t word); /* a token, or whatever */
void blob_begin(struct fdt_blob *blob, const char *name);
void blob_end(struct fdt_blob *blob);
void blob_property(struct fdt_blob *blob, const char *name, const void *value, size_t size);
void blob_text(struct fdt_blob *blob, const char *name, const char *value);
void blob_cells(struct fdt_blob *blob, const char *name, const uint32_t *cell, unsigned count);

/* The whole of it with END after; free() it. */
uint8_t *blob_finish(struct fdt_blob *blob, size_t *size);

/* A tree as the Raspberry Pi's firmware hands it on: 2 and 1 cells, RAM from 0 and from 1 GiB; the
 * second range has this many bytes, 0: there is none. */
uint8_t *blob_of_rpi4(uint32_t high_size, size_t *size);
