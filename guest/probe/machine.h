/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of the probe: by the device tree at its start, and by QEMU's `virt` where the tree
 * lacks a node. */
#pragma once

#include "drivers/gic/gic.h"

#define MACHINE_ARGS_SIZE 512u

struct machine {
	bool has_tree;
	uintptr_t console;     /* PL011, or a part with its data and flag registers */
	bool console_is_pl011; /* and its control register */
	struct gic_bases gic;
	unsigned gic_version; /* of the device tree's GIC */
	bool psci_by_smc;
	char args[MACHINE_ARGS_SIZE]; /* the image's own, then /chosen bootargs */
};

/* `tree`: a device tree, at any alignment; NULL or a damaged one is none. */
void machine_find(struct machine *machine, const void *tree);

/* The number after "name=" in the arguments, hexadecimal after 0x; or `otherwise`. */
uint64_t machine_number(const struct machine *machine, const char *name, uint64_t otherwise);

/* Copy the word after "name=" in the arguments, cut to `size` with its NUL. False, and an empty
 * text: there is none. */
bool machine_word(const struct machine *machine, const char *name, char *word, size_t size);
