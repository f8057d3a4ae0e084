/* SPDX-License-Identifier: Apache-2.0 */
/* A core's registers and memory, as a QEMU plugin reads them. If a read fails, the plugin ends
 * QEMU. */
#pragma once

#include <stdint.h>

#include "tools/plugin/qemu_plugin.h"

/* End QEMU with status 2 and this line: a plugin that continues would count wrongly. */
_Noreturn void fail(const char *what);

/* Find a register by QEMU's name for it; NULL if the core has none. Call this function only in a
 * vcpu_callback. */
struct qemu_plugin_register *find(const struct array *registers, const char *name);

/* Read a register's low 64 bits. */
uint64_t value_of(struct qemu_plugin_register *handle);

/* Read 64 bits of memory at a virtual address of the core. */
uint64_t memory_at(uint64_t address);
