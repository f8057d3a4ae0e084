/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of items that many transactions have in common, by FP-growth (J. Han, J. Pei, Y. Yin,
 * "Mining Frequent Patterns without Candidate Generation", 2000): integers, and trees of small,
 * short-lived allocations.
 * Proof: tests/qemu/test_programs.py.
 */
#include <stdlib.h>
#include <string.h>

#include "guest/measure/program.h"
#include "lib/crc32.h"
#include "lib/random.h"

#define ITEM_COUNT 24u
#define TRANSACTION_COUNT 300u
#define SUPPORT_MIN 15u
#define ITEMSET_MAX 4096u
#define PATTERN_COUNT 8u /* number of patterns that transactions contain */

/* A path from the root is the beginning of some transactions, with ascending items. */
struct node {
	struct node *parent, *child, *sibling;
	struct node *same; /* next node of this item */
	uint32_t item;
	uint32_t count; /* number of transactions through this node */
};

struct tree {
	struct node root;
	struct node *first[ITEM_COUNT]; /* first node of each item */
	uint32_t support[ITEM_COUNT];   /* transactions that have the item */
};

struct itemset {
	uint32_t items; /* one bit an item */
	uint32_t support;
};

static uint32_t *transactions; /* the items of each transaction, one bit an item */
static uint32_t transaction_count;
static struct itemset *frequent;
static uint32_t frequent_count;

static struct node *add_child(struct tree *tree, struct node *parent, uint32_t item)
{
	struct node *node = parent->child;

	while (node && node->item != item)
		node = node->sibling;
	if (node)
		return node;
	node = program_alloc(sizeof(*node));
	*node = (struct node){
		.parent = parent,
		.sibling = parent->child,
		.same = tree->first[item],
		.item = item,
	};
	parent->child = node;
	tree->first[item] = node;
	return node;
}

static void add_transaction(struct tree *tree, uint32_t items, uint32_t count)
{
	struct node *node = &tree->root;

	for (uint32_t item = 0; item < ITEM_COUNT; item++) {
		if (items & 1u << item) {
			node = add_child(tree, node, item);
			node->count += count;
			tree->support[item] += count;
		}
	}
}

static void free_tree(struct tree *tree)
{
	for (uint32_t item = 0; item < ITEM_COUNT; item++) {
		struct node *node = tree->first[item];

		while (node) {
			struct node *next = node->same;

			free(node);
			node = next;
		}
	}
	free(tree);
}

static struct tree *new_tree(void)
{
	struct tree *tree = program_alloc(sizeof(*tree));

	memset(tree, 0, sizeof(*tree));
	return tree;
}

/* Make the tree of the smaller items in the transactions that have this item. */
static struct tree *conditional_tree(const struct tree *tree, uint32_t item)
{
	struct tree *conditional = new_tree();

	for (const struct node *node = tree->first[item]; node; node = node->same) {
		uint32_t items = 0;

		for (const struct node *up = node->parent; up->parent; up = up->parent)
			if (tree->support[up->item] >= SUPPORT_MIN)
				items |= 1u << up->item;
		add_transaction(conditional, items, node->count);
	}
	return conditional;
}

/* Find all frequent sets that consist of `suffix` and items of the tree. */
static void mine(const struct tree *tree, uint32_t suffix)
{
	for (uint32_t item = 0; item < ITEM_COUNT; item++) {
		struct itemset set = { suffix | 1u << item, tree->support[item] };
		struct tree *conditional;

		if (set.support < SUPPORT_MIN || frequent_count == ITEMSET_MAX)
			continue;
		frequent[frequent_count++] = set;
		conditional = conditional_tree(tree, item);
		mine(conditional, set.items);
		free_tree(conditional);
	}
}

static void itemsets_run(void)
{
	struct tree *tree = new_tree();

	for (uint32_t i = 0; i < transaction_count; i++)
		add_transaction(tree, transactions[i], 1);
	mine(tree, 0);
	free_tree(tree);
}

static uint32_t random_items(struct random *random, uint32_t count)
{
	uint32_t items = 0;

	while (count--)
		items |= 1u << random_below(random, ITEM_COUNT);
	return items;
}

/* Make transactions: each has a pattern with some items missing and some random items added. */
static void itemsets_prepare(uint32_t seed)
{
	uint32_t patterns[PATTERN_COUNT];
	struct random random;

	random_init(&random, seed, 7);
	transactions = program_alloc(TRANSACTION_COUNT * sizeof(*transactions));
	transaction_count = TRANSACTION_COUNT;
	frequent = program_alloc(ITEMSET_MAX * sizeof(*frequent));
	frequent_count = 0;
	for (unsigned i = 0; i < PATTERN_COUNT; i++)
		patterns[i] = random_items(&random, 6);
	for (unsigned i = 0; i < TRANSACTION_COUNT; i++)
		transactions[i] = (patterns[random_below(&random, PATTERN_COUNT)] &
				   ~random_items(&random, 3)) |
				  random_items(&random, 2);
}

static uint32_t itemsets_checksum(void)
{
	return crc32_update(frequent_count, frequent, frequent_count * sizeof(*frequent));
}

static const struct program prog_itemsets = {
	.ticks = true,
	.prepare = itemsets_prepare,
	.run = itemsets_run,
	.checksum = itemsets_checksum,
};
PROGRAM(prog_itemsets);
