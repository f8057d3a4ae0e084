/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/probe/fdt.h"

#define MAGIC 0xd00dfeedu
#define VERSION_READ 17u /* a tree of a later version is readable if it is compatible with 17 */
#define HEADER_SIZE 40u

/* Offsets in the header, in bytes */
#define TOTAL_SIZE 4u
#define STRUCT_OFFSET 8u
#define STRINGS_OFFSET 12u
#define LAST_COMPATIBLE 24u
#define STRINGS_SIZE 32u
#define STRUCT_SIZE 36u

enum token { BEGIN_NODE = 1, END_NODE = 2, PROP = 3, NOP = 4, END = 9 };
enum depth { ROOT = 1, CHILD = 2 };

struct walk {
	struct fdt_part left; /* unread part of the structure block */
	struct fdt_part strings;
	unsigned depth;
	struct fdt_child child; /* the last child; its cells are the root's */
	const char *property;
	fdt_visit *visit;
	void *context;
};

/* Read byte by byte: an unaligned load faults while translation is off. */
static uint32_t be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Find a block whose offset and size are in the header. */
static bool block(const uint8_t *blob, uint32_t total, uint32_t offset_at, uint32_t size_at,
		  struct fdt_part *part)
{
	uint32_t offset = be32(blob + offset_at);

	if (offset < HEADER_SIZE || offset > total)
		return false;
	*part = (struct fdt_part){ blob + offset, be32(blob + size_at) };
	return part->size <= total - offset;
}

static bool open(struct walk *walk, const uint8_t *blob, size_t limit)
{
	uint32_t total;

	if (limit < HEADER_SIZE || be32(blob) != MAGIC)
		return false;
	total = be32(blob + TOTAL_SIZE);
	return total >= HEADER_SIZE && total <= limit && total <= FDT_SIZE_MAX &&
	       be32(blob + LAST_COMPATIBLE) <= VERSION_READ &&
	       block(blob, total, STRUCT_OFFSET, STRUCT_SIZE, &walk->left) &&
	       block(blob, total, STRINGS_OFFSET, STRINGS_SIZE, &walk->strings);
}

static bool skip(struct walk *walk, uint32_t size)
{
	if (size > walk->left.size)
		return false;
	walk->left.at += size;
	walk->left.size -= size;
	return true;
}

/* Skip `size` bytes and the padding after them: tokens are at multiples of 4. */
static bool skip_padded(struct walk *walk, uint32_t size)
{
	return skip(walk, size) && skip(walk, -size & 3u);
}

static bool next_word(struct walk *walk, uint32_t *word)
{
	if (walk->left.size < 4)
		return false;
	*word = be32(walk->left.at);
	return skip(walk, 4);
}

bool fdt_is_text(struct fdt_part part, const char *text)
{
	uint32_t i = 0;

	for (; i < part.size && text[i]; i++)
		if (part.at[i] != (uint8_t)text[i])
			return false;
	return i < part.size && part.at[i] == '\0' && !text[i];
}

static struct fdt_part string_at(const struct walk *walk, uint32_t offset)
{
	if (offset >= walk->strings.size)
		return (struct fdt_part){ walk->strings.at, 0 };
	return (struct fdt_part){ walk->strings.at + offset, walk->strings.size - offset };
}

static bool begin_node(struct walk *walk)
{
	struct fdt_child *child = &walk->child;
	struct fdt_part name = { walk->left.at, 0 };

	while (name.size < walk->left.size && name.at[name.size])
		name.size++;
	if (++walk->depth == CHILD)
		*child = (struct fdt_child){ .name = name,
					     .address_cells = child->address_cells,
					     .size_cells = child->size_cells };
	return name.size < walk->left.size && skip_padded(walk, name.size + 1);
}

static bool end_node(struct walk *walk)
{
	if (walk->depth == 0)
		return false;
	if (walk->depth-- == CHILD)
		walk->visit(&walk->child, walk->context);
	return true;
}

/* Read #address-cells or #size-cells: numbers of at most 64 bits. */
static bool cells(struct fdt_part value, uint32_t *count)
{
	if (value.size != 4)
		return false;
	*count = be32(value.at);
	return *count == 1 || *count == 2;
}

static bool property(struct walk *walk)
{
	struct fdt_part name, value;
	uint32_t offset;

	if (!next_word(walk, &value.size) || !next_word(walk, &offset))
		return false;
	value.at = walk->left.at;
	name = string_at(walk, offset);
	if (!skip_padded(walk, value.size))
		return false;
	if (walk->depth == ROOT && fdt_is_text(name, "#address-cells"))
		return cells(value, &walk->child.address_cells);
	if (walk->depth == ROOT && fdt_is_text(name, "#size-cells"))
		return cells(value, &walk->child.size_cells);
	if (walk->depth == CHILD && fdt_is_text(name, "reg"))
		walk->child.reg = value;
	if (walk->depth == CHILD && fdt_is_text(name, walk->property))
		walk->child.value = value;
	return true;
}

/* Walk up to the END token of the tree. */
bool fdt_children(const void *blob, size_t limit, const char *property_name, fdt_visit *visit,
		  void *context)
{
	/* Defaults of a root without these properties (2.3.5). */
	struct walk walk = { .child = { .address_cells = 2, .size_cells = 1 },
			     .property = property_name,
			     .visit = visit,
			     .context = context };
	bool good = open(&walk, blob, limit);
	uint32_t token;

	while (good && next_word(&walk, &token)) {
		if (token == END)
			return walk.depth == 0;
		good = token == BEGIN_NODE ? begin_node(&walk)
		       : token == END_NODE ? end_node(&walk)
		       : token == PROP     ? property(&walk)
					   : token == NOP;
	}
	return false;
}

static uint64_t number(const uint8_t *at, uint32_t count)
{
	return count == 1 ? be32(at) : (uint64_t)be32(at) << 32 | be32(at + 4);
}

void fdt_append(struct fdt_ranges *ranges, const struct fdt_child *child)
{
	uint32_t base_bytes = child->address_cells * 4;
	uint32_t entry_bytes = base_bytes + child->size_cells * 4;
	const uint8_t *at = child->reg.at;

	for (uint32_t left = child->reg.size; left >= entry_bytes; left -= entry_bytes) {
		struct fdt_range range = { number(at, child->address_cells),
					   number(at + base_bytes, child->size_cells) };

		if (range.size && ranges->count < ranges->max)
			ranges->range[ranges->count++] = range;
		at += entry_bytes;
	}
}

static void append_memory(const struct fdt_child *child, void *ranges)
{
	if (fdt_is_text(child->value, "memory"))
		fdt_append(ranges, child);
}

unsigned fdt_memory(const void *blob, size_t limit, struct fdt_range *range, unsigned max)
{
	struct fdt_ranges ranges = { range, 0, max };

	return fdt_children(blob, limit, "device_type", append_memory, &ranges) ? ranges.count : 0;
}
