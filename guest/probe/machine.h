/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of the probe, read from the device tree at its start. Values of QEMU's `virt` replace
 * missing nodes. */
#pragma once

#include "drivers/gic/gic.h"

#define MACHINE_ARGS_SIZE 512u

struct machine {
	bool has_tree;
	uintptr_t console;     /* PL011, or a UART with the data and flag registers of a PL011 */
	bool console_is_pl011; /* the UART also has the PL011's control register */
	struct gic_bases gic;
	unsigned gic_version; /* version of the device tree's GIC */
	bool psci_by_smc;
	char args[MACHINE_ARGS_SIZE]; /* the image's own arguments, then /chosen bootargs */
};

/* `tree` is a device tree at any alignment. NULL or a damaged tree counts as no tree. */
void machine_find(struct machine *machine, const void *tree);

/* Return the number after "name=" in the arguments (hexadecimal after 0x), or `otherwise`. */
uint64_t machine_number(const struct machine *machine, const char *name, uint64_t otherwise);

/* Copy the word after "name=" in the arguments, cut to `size` with its NUL. If there is none,
 * return false and an empty text. */
bool machine_word(const struct machine *machine, const char *name, char *word, size_t size);
