/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/probe/tree.h"

struct device_search {
	const char *compatible;
	struct fdt_ranges ranges;
};

/* Return whether a list of texts, each with its NUL, has this text. */
static bool has_text(struct fdt_part list, const char *text)
{
	while (list.size) {
		if (fdt_is_text(list, text))
			return true;
		while (list.size && *list.at) {
			list.at++;
			list.size--;
		}
		if (list.size) {
			list.at++;
			list.size--;
		}
	}
	return false;
}

static void visit_device(const struct fdt_child *child, void *context)
{
	struct device_search *search = context;

	if (search->ranges.count == 0 && has_text(child->value, search->compatible))
		fdt_append(&search->ranges, child);
}

unsigned tree_device(const void *blob, size_t limit, const char *compatible,
		     struct fdt_range *range, unsigned max)
{
	struct device_search search = { compatible, { range, 0, max } };

	return fdt_children(blob, limit, "compatible", visit_device, &search) ? search.ranges.count
									      : 0;
}

struct text_search {
	const char *name;
	char *text;
	size_t size;
};

/* Compare a node's name without its unit address. */
static bool is_named(struct fdt_part name, const char *wanted)
{
	uint32_t i = 0;

	while (i < name.size && name.at[i] != '@' && name.at[i] == (uint8_t)wanted[i])
		i++;
	return !wanted[i] && (i == name.size || name.at[i] == '@');
}

static void visit_named(const struct fdt_child *child, void *context)
{
	struct text_search *search = context;
	size_t length = 0;

	if (!is_named(child->name, search->name))
		return;
	for (; length < child->value.size && child->value.at[length] && length + 1 < search->size;
	     length++)
		search->text[length] = (char)child->value.at[length];
	search->text[length] = '\0';
}

bool tree_text(const void *blob, size_t limit, const char *name, const char *property, char *text,
	       size_t size)
{
	struct text_search search = { name, text, size };

	text[0] = '\0';
	if (!fdt_children(blob, limit, property, visit_named, &search))
		text[0] = '\0';
	return text[0] != '\0';
}
