/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of the probe: by the device tree at its start, and by QEMU's `virt` where the tree
 * lacks a node. */
#pragma once

#include "drivers/gic/gic.h"

#define MACHINE_ARGS_SIZE 128u

struct machine {
	bool has_tree;
	uintptr_t console;     /* PL011, or a part with its data and flag registers */
	bool console_is_pl011; /* and its control register */
	struct gic_bases gic;
	unsigned gic_version; /* of the device tree's GIC */
	bool psci_by_smc;
	char args[MACHINE_ARGS_SIZE]; /* /chosen bootargs, "" where there are none */
};

/* `tree`: a device tree, at any alignment; NULL or a damaged one is none. */
void machine_find(struct machine *machine, const void *tree);

/* The decimal number after "name=" in the arguments, or `otherwise`. */
uint32_t machine_number(const struct machine *machine, const char *name, uint32_t otherwise);
