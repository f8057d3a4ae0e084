/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/probe/machine.h"

#include <string.h>

#include "abi/virt.h"
#include "guest/probe/arguments.h"
#include "guest/probe/tokens.h"
#include "guest/probe/tree.h"

/* Values of `compatible`: a console, a GICv2, a GICv3. */
static const char *const pl011s[] = { "arm,pl011", NULL };
static const char *const sbsa_uarts[] = { "arm,sbsa-uart", NULL };
static const char *const gicv2s[] = { "arm,gic-400", "arm,cortex-a15-gic", NULL };
static const char *const gicv3s[] = { "arm,gic-v3", NULL };

/* Find the first two ranges of the first such device. */
static bool find(const void *tree, const char *const *compatible, struct fdt_range range[2])
{
	for (; *compatible; compatible++)
		if (tree_device(tree, FDT_SIZE_MAX, *compatible, range, 2))
			return true;
	return false;
}

static void find_gic(struct machine *machine, const void *tree)
{
	struct fdt_range range[2] = { { VIRT_GICD, 0 }, { VIRT_GICC, 0 } };

	machine->gic_version = 2;
	if (find(tree, gicv3s, range)) {
		machine->gic_version = 3;
	} else if (!find(tree, gicv2s, range) && gic_version() == 3) {
		machine->gic_version = 3;
		range[1].base = VIRT_GICR;
	}
	machine->gic = (struct gic_bases){ .dist = (uintptr_t)range[0].base };
	if (machine->gic_version == 3)
		machine->gic.redist = (uintptr_t)range[1].base;
	else
		machine->gic.cpu = (uintptr_t)range[1].base;
}

/*
 * Join the arguments. The image's own come first: machine_number() uses the first of two equal
 * names.
 */
static void find_arguments(struct machine *machine, const void *tree)
{
	size_t length = 0;

	while (length + 1 < PROBE_ARGUMENTS_SIZE && probe_arguments[length])
		length++;
	memcpy(machine->args, probe_arguments, length);
	machine->args[length++] = ' ';
	tree_text(tree, FDT_SIZE_MAX, "chosen", "bootargs", machine->args + length,
		  sizeof(machine->args) - length);
}

void machine_find(struct machine *machine, const void *tree)
{
	struct fdt_range range[2] = { { VIRT_UART, 0 } };
	char method[8];

	machine->has_tree = tree && fdt_memory(tree, FDT_SIZE_MAX, range, 1);
	range[0].base = VIRT_UART;
	if (!machine->has_tree)
		tree = "";
	machine->console_is_pl011 = find(tree, pl011s, range) || !find(tree, sbsa_uarts, range);
	machine->console = (uintptr_t)range[0].base;
	find_gic(machine, tree);
	tree_text(tree, FDT_SIZE_MAX, "psci", "method", method, sizeof(method));
	machine->psci_by_smc = method[0] == 's';
	find_arguments(machine, tree);
}

static bool begins(struct token token, const char *with)
{
	size_t i = 0;

	while (i < token.length && with[i] && token.at[i] == with[i])
		i++;
	return !with[i] && i < token.length && token.at[i] == '=';
}

/* Return the value of the token "name=value", or an empty token if no such token exists. */
static struct token value_of(const struct machine *machine, const char *name)
{
	struct token rest = token_from(machine->args);
	size_t skipped = token_from(name).length + 1;

	for (struct token token = token_next(&rest); token.length; token = token_next(&rest))
		if (begins(token, name))
			return (struct token){ token.at + skipped, token.length - skipped };
	return (struct token){ "", 0 };
}

static uint32_t digit(char c)
{
	return (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

uint64_t machine_number(const struct machine *machine, const char *name, uint64_t otherwise)
{
	struct token value = value_of(machine, name);
	bool is_hex = value.length > 2 && value.at[1] == 'x';
	uint64_t number = 0;

	if (!value.length)
		return otherwise;
	for (size_t at = is_hex ? 2 : 0; at < value.length; at++)
		number = number * (is_hex ? 16 : 10) + digit(value.at[at]);
	return number;
}

bool machine_word(const struct machine *machine, const char *name, char *word, size_t size)
{
	struct token value = value_of(machine, name);
	size_t length = value.length < size ? value.length : size - 1;

	memcpy(word, value.at, length);
	word[length] = '\0';
	return length > 0;
}
