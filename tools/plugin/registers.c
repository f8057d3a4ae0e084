/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/plugin/registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fail(const char *what)
{
	fprintf(stderr, "QEMU's plugin: %s\n", what);
	_Exit(2);
}

/* Return an empty array, the same at each call. */
static struct array *emptied(void)
{
	static struct array *bytes;

	if (!bytes)
		bytes = g_byte_array_new();
	return g_byte_array_set_size(bytes, 0);
}

struct qemu_plugin_register *find(const struct array *registers, const char *name)
{
	const struct register_name *all = (const struct register_name *)registers->data;

	for (unsigned i = 0; i < registers->length; i++)
		if (!strcmp(all[i].name, name))
			return all[i].handle;
	return NULL;
}

uint64_t value_of(struct qemu_plugin_register *handle)
{
	struct array *bytes = emptied();
	uint64_t value = 0;

	if (!handle || qemu_plugin_read_register(handle, bytes) <= 0)
		fail("a register cannot be read");
	memcpy(&value, bytes->data, bytes->length < sizeof(value) ? bytes->length : sizeof(value));
	return value;
}

uint64_t memory_at(uint64_t address)
{
	struct array *bytes = emptied();
	uint64_t value;

	if (!qemu_plugin_read_memory_vaddr(address, bytes, sizeof(value)))
		fail("memory cannot be read");
	memcpy(&value, bytes->data, sizeof(value));
	return value;
}
