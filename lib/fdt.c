/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/fdt.h"

#define MAGIC 0xd00dfeedu
#define VERSION_READ 17u /* we read it; what says that this does is read */
#define HEADER_SIZE 40u

/* Header, in bytes */
#define TOTAL_SIZE 4u
#define STRUCT_OFFSET 8u
#define STRINGS_OFFSET 12u
#define LAST_COMPATIBLE 24u
#define STRINGS_SIZE 32u
#define STRUCT_SIZE 36u

#define BEGIN_NODE 1u
#define END_NODE 2u
#define PROP 3u
#define NOP 4u
#define END 9u

#define ROOT 1u /* depths */
#define CHILD 2u

struct part {
	const uint8_t *at;
	uint32_t size;
};

/* A child of the root: its name, and those of its properties that anybody asked for. */
struct child {
	struct part name;
	struct part device_type;
	struct part compatible;
	struct part reg;
	struct part wanted; /* the property walk.wanted */
};

/* Where the walk is, what it knows of the root and of the child of the root it is in, and what it
 * is for: visit() is called at the end of each child, and takes what it was made for. */
struct walk {
	struct part left; /* of the structure block */
	struct part strings;
	unsigned depth;
	uint32_t address_cells;
	uint32_t size_cells;
	struct child child;
	void (*visit)(struct walk *walk);
	const char *name;   /* for visit(): a node's name, or what it is compatible with */
	const char *wanted; /* a property's name */
	struct fdt_range *range;
	unsigned count;
	unsigned max;
	char *text;
	size_t text_size;
};

/* Byte by byte: with translation off an unaligned load faults. */
static uint32_t be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* A block that the header describes by an offset and a size. */
static bool block(const uint8_t *blob, uint32_t total, uint32_t offset, uint32_t size,
		  struct part *part)
{
	if (offset < HEADER_SIZE || offset > total || size > total - offset)
		return false;
	*part = (struct part){ blob + offset, size };
	return true;
}

static bool open(struct walk *walk, const uint8_t *blob, size_t limit)
{
	uint32_t total;

	if (limit < HEADER_SIZE || be32(blob) != MAGIC)
		return false;
	total = be32(blob + TOTAL_SIZE);
	if (total < HEADER_SIZE || total > limit || total > FDT_SIZE_MAX ||
	    be32(blob + LAST_COMPATIBLE) > VERSION_READ)
		return false;
	return block(blob, total, be32(blob + STRUCT_OFFSET), be32(blob + STRUCT_SIZE),
		     &walk->left) &&
	       block(blob, total, be32(blob + STRINGS_OFFSET), be32(blob + STRINGS_SIZE),
		     &walk->strings);
}

static bool skip(struct walk *walk, uint32_t size)
{
	if (size > walk->left.size)
		return false;
	walk->left.at += size;
	walk->left.size -= size;
	return true;
}

/* Tokens stand at multiples of 4. */
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

static bool is_text(struct part part, const char *text)
{
	uint32_t i = 0;

	for (; i < part.size && text[i]; i++)
		if (part.at[i] != (uint8_t)text[i])
			return false;
	return i < part.size && part.at[i] == '\0' && !text[i];
}

static struct part string_at(const struct walk *walk, uint32_t offset)
{
	if (offset >= walk->strings.size)
		return (struct part){ walk->strings.at, 0 };
	return (struct part){ walk->strings.at + offset, walk->strings.size - offset };
}

static bool begin_node(struct walk *walk)
{
	uint32_t length = 0;

	while (length < walk->left.size && walk->left.at[length])
		length++;
	walk->depth++;
	if (walk->depth == CHILD)
		walk->child = (struct child){ .name = { walk->left.at, length } };
	return length < walk->left.size && skip_padded(walk, length + 1);
}

static uint64_t number(const uint8_t *at, uint32_t cells)
{
	return cells == 1 ? be32(at) : (uint64_t)be32(at) << 32 | be32(at + 4);
}

static void keep_ranges(struct walk *walk)
{
	struct part reg = walk->child.reg;
	uint32_t base_bytes = walk->address_cells * 4;
	uint32_t entry_bytes = base_bytes + walk->size_cells * 4;

	while (reg.size >= entry_bytes && walk->count < walk->max) {
		struct fdt_range range = {
			number(reg.at, walk->address_cells),
			number(reg.at + base_bytes, walk->size_cells),
		};

		if (range.size)
			walk->range[walk->count++] = range;
		reg.at += entry_bytes;
		reg.size -= entry_bytes;
	}
}

static bool end_node(struct walk *walk)
{
	if (walk->depth == 0)
		return false;
	if (walk->depth == CHILD)
		walk->visit(walk);
	walk->depth--;
	return true;
}

/* #address-cells or #size-cells; more than 64 bits are not for us. */
static bool cells(struct part value, uint32_t *count)
{
	if (value.size != 4)
		return false;
	*count = be32(value.at);
	return *count == 1 || *count == 2;
}

static bool property(struct walk *walk)
{
	struct part name, value;
	uint32_t offset;

	if (!next_word(walk, &value.size) || !next_word(walk, &offset))
		return false;
	value.at = walk->left.at;
	name = string_at(walk, offset);
	if (!skip_padded(walk, value.size))
		return false;
	if (walk->depth == ROOT && is_text(name, "#address-cells"))
		return cells(value, &walk->address_cells);
	if (walk->depth == ROOT && is_text(name, "#size-cells"))
		return cells(value, &walk->size_cells);
	if (walk->depth != CHILD)
		return true;
	if (is_text(name, "device_type"))
		walk->child.device_type = value;
	if (is_text(name, "compatible"))
		walk->child.compatible = value;
	if (is_text(name, "reg"))
		walk->child.reg = value;
	if (walk->wanted && is_text(name, walk->wanted))
		walk->child.wanted = value;
	return true;
}

/* The whole tree, up to its END; false where there is none, or a damaged one. */
static bool walk_tree(struct walk *walk, const void *blob, size_t limit)
{
	uint32_t token;
	bool good = open(walk, blob, limit);

	/* The cells as the specification has them where the root says nothing (2.3.5). */
	walk->address_cells = 2;
	walk->size_cells = 1;
	while (good && next_word(walk, &token)) {
		if (token == END)
			return walk->depth == 0;
		good = token == BEGIN_NODE ? begin_node(walk)
		       : token == END_NODE ? end_node(walk)
		       : token == PROP     ? property(walk)
					   : token == NOP;
	}
	return false;
}

static void visit_memory(struct walk *walk)
{
	if (is_text(walk->child.device_type, "memory"))
		keep_ranges(walk);
}

unsigned fdt_memory(const void *blob, size_t limit, struct fdt_range *range, unsigned max)
{
	struct walk walk = { .visit = visit_memory, .range = range, .max = max };

	return walk_tree(&walk, blob, limit) ? walk.count : 0;
}

/* One of the texts, NUL-terminated, of a list of them. */
static bool has_text(struct part list, const char *text)
{
	while (list.size) {
		if (is_text(list, text))
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

static void visit_device(struct walk *walk)
{
	if (walk->count == 0 && has_text(walk->child.compatible, walk->name))
		keep_ranges(walk);
}

unsigned fdt_device(const void *blob, size_t limit, const char *compatible, struct fdt_range *range,
		    unsigned max)
{
	struct walk walk = {
		.visit = visit_device,
		.name = compatible,
		.range = range,
		.max = max,
	};

	return walk_tree(&walk, blob, limit) ? walk.count : 0;
}

/* A node's name without its unit address. */
static bool is_named(struct part name, const char *wanted)
{
	uint32_t i = 0;

	while (i < name.size && name.at[i] != '@' && name.at[i] == (uint8_t)wanted[i])
		i++;
	return !wanted[i] && (i == name.size || name.at[i] == '@');
}

static void visit_named(struct walk *walk)
{
	struct part value = walk->child.wanted;
	size_t length = 0;

	if (!is_named(walk->child.name, walk->name))
		return;
	while (length < value.size && value.at[length] && length + 1 < walk->text_size) {
		walk->text[length] = (char)value.at[length];
		length++;
	}
	walk->text[length] = '\0';
}

bool fdt_text(const void *blob, size_t limit, const char *name, const char *property, char *text,
	      size_t size)
{
	struct walk walk = {
		.visit = visit_named,
		.name = name,
		.wanted = property,
		.text = text,
		.text_size = size,
	};

	text[0] = '\0';
	if (!walk_tree(&walk, blob, limit))
		text[0] = '\0';
	return text[0] != '\0';
}

bool fdt_covers(const struct fdt_range *range, unsigned count, uint64_t base, uint64_t size)
{
	unsigned i = 0;

	/* From the first byte on, range by range, until the last is reached or none goes on. */
	while (i < count) {
		uint64_t into = base - range[i].base;

		if (base < range[i].base || into >= range[i].size) {
			i++;
			continue;
		}
		if (range[i].size - into >= size)
			return true;
		base += range[i].size - into;
		size -= range[i].size - into;
		i = 0;
	}
	return size == 0;
}
