/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of QEMU's plugin interface (version 4: QEMU 9.2 and later) and of GLib, which QEMU
 * brings, that the plugins of this folder use. Debian's QEMU comes without a header for plugins. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_API 4

struct qemu_plugin_tb;       /* a translation block, while it is translated */
struct qemu_plugin_insn;     /* an instruction of a translation block */
struct qemu_plugin_register; /* a handle, valid to the end of QEMU */
struct machine_info;
struct physical; /* a physical address */

/* A callback's use of the core's registers. */
enum register_use { REGISTERS_UNUSED, REGISTERS_READ };

/* The accesses that a memory callback wants. */
enum memory_use { MEMORY_READ = 1, MEMORY_WRITE = 2 };

/* GLib's GArray and GByteArray begin with these members. */
struct array {
	uint8_t *data;
	unsigned length;
};

struct register_name {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
};

typedef void (*vcpu_callback)(uint64_t plugin, unsigned vcpu);
typedef void (*block_callback)(uint64_t plugin, struct qemu_plugin_tb *block);
typedef void (*exec_callback)(unsigned vcpu, void *data);
typedef void (*memory_callback)(unsigned vcpu, uint32_t access, uint64_t address, void *data);
typedef void (*exit_callback)(uint64_t plugin, void *data);

void qemu_plugin_register_vcpu_init_cb(uint64_t plugin, vcpu_callback callback);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t plugin, block_callback callback);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, exec_callback callback,
					  enum register_use use, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, exec_callback callback,
					    enum register_use use, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, memory_callback callback,
				      enum register_use use, enum memory_use accesses, void *data);
void qemu_plugin_register_atexit_cb(uint64_t plugin, exit_callback callback, void *data);

/* Call these functions only in a memory_callback, with its `access`. */
unsigned qemu_plugin_mem_size_shift(uint32_t access);
bool qemu_plugin_mem_is_store(uint32_t access);
struct physical *qemu_plugin_get_hwaddr(uint32_t access, uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct physical *address);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct physical *address);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn); /* in QEMU's memory */

struct array *qemu_plugin_get_registers(void); /* struct register_name; only in a vcpu_callback */
int qemu_plugin_read_register(struct qemu_plugin_register *handle, struct array *to);
bool qemu_plugin_read_memory_vaddr(uint64_t address, struct array *to, size_t size);

struct array *g_byte_array_new(void);
struct array *g_byte_array_set_size(struct array *array, unsigned size);
