/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A QEMU plugin that reports what a core executes and accesses outside of a guest, between two
 * reads of the guest's counter. The plugin knows nothing of the hypervisor, so it counts alike in
 * every system under the probe (guest/probe/). EL2 and EL3 are outside; EL1 and EL0 are outside
 * while HCR_EL2.VM is 0, as in the host of KVM. A window goes from one read of CNTVCT by the guest
 * to the next read. It has a visit for each time that the core leaves the guest; the visit lasts to
 * the guest's next instruction.
 *
 * The machine has one core. Option: out=<file>. Lines of the file; numbers are hexadecimal:
 *   code <number> <address> <word>@<page>...   a block, before its first use; a word an instruction
 *   window <word>                              the instruction that ended the window
 *   visit <class> <argument> <fault>           ESR_EL2.EC, 0 for an interrupt; x0; FAR_EL2
 *   path <number>+<begun>...                   the visit's blocks, and how many instructions of
 *                                              each began
 *   data <access>...                           the visit's loads and stores
 *   lost                                       a window with more than the plugin keeps
 * A `page` is the number of a page of 4 KiB of memory: all addresses of one page of memory have the
 * same number. An `access` is l (load) or s (store), M (memory) or D (device), its virtual address,
 * ":" and its physical address, and +<bytes>. A comma joins the accesses of one instruction.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/plugin/qemu_plugin.h"
#include "tools/plugin/registers.h"

#define BLOCKS 16384u
#define ACCESSES 32768u
#define VISITS 64u
#define PAGES 65536u
#define PAGE_SHIFT 12

#define HCR_VM 1u
#define EC_SHIFT 26

/* Reads of CNTVCT, without the registers that they write. */
#define A64_REGISTER 0x1fu
#define A64_READ_CNTVCT 0xd53be040u
#define A32_REGISTERS 0xff000u
#define A32_READ_CNTVCT 0xec500f1eu

/* A translation block. A block is never freed: QEMU does not report its end. */
struct code {
	uint64_t address;
	unsigned length; /* in instructions */
	unsigned number; /* number in the file; 0: not written yet */
	struct insn {
		uint32_t word;
		const void *place; /* in QEMU's own memory */
	} insn[];
};

struct executed {
	struct code *code;
	unsigned begun;
};

struct access {
	uint64_t address, physical, instruction;
	unsigned bytes;
	bool store, device;
};

struct visit {
	unsigned class;
	uint64_t argument, fault;
	unsigned block, access; /* first block and first access of the visit */
};

__attribute__((visibility("default"))) int qemu_plugin_version = PLUGIN_API;

static FILE *out;

static bool is_a64;
static struct qemu_plugin_register *psr, *syndrome, *hcr, *fault, *argument;

static struct code *current; /* the current block */
static unsigned begun;       /* instructions of the current block that began */
static bool is_outside, is_at_el2, guest_translates;
static uint64_t instructions; /* number of all executed instructions, to distinguish accesses */

/* Records since the last read of the counter. */
static bool is_read; /* the guest has read the counter */
static bool is_lost;
static struct executed blocks[BLOCKS];
static struct access accesses[ACCESSES];
static struct visit visits[VISITS];
static unsigned block_count, access_count, visit_count;

static unsigned code_count;
static uint64_t pages[PAGES];
static unsigned page_count;

static struct qemu_plugin_register *find_either(const struct array *registers, const char *a64,
						const char *a32)
{
	struct qemu_plugin_register *found = find(registers, a64);

	return found ? found : find(registers, a32);
}

static void on_core(uint64_t plugin, unsigned vcpu)
{
	struct array *registers = qemu_plugin_get_registers();

	(void)plugin;
	if (vcpu)
		fail("the machine has more than one core");
	is_a64 = find(registers, "x0");
	argument = find_either(registers, "x0", "r0");
	psr = find(registers, "cpsr");
	syndrome = find(registers, "ESR_EL2"); /* AArch32's HSR, too */
	hcr = find_either(registers, "HCR_EL2", "HCR");
	fault = find_either(registers, "FAR_EL2", "HDFAR");
}

/* ---- the file ---- */

static unsigned page_of(const void *place)
{
	uint64_t page = (uintptr_t)place >> PAGE_SHIFT;
	unsigned i;

	for (i = 0; i < page_count && pages[i] != page; i++)
		;
	if (i == PAGES)
		fail("code in too many pages");
	if (i == page_count)
		pages[page_count++] = page;
	return i;
}

static void report_code(struct code *code)
{
	if (code->number)
		return;
	code->number = ++code_count;
	fprintf(out, "code %x %" PRIx64, code->number, code->address);
	for (unsigned i = 0; i < code->length; i++)
		fprintf(out, " %" PRIx32 "@%x", code->insn[i].word, page_of(code->insn[i].place));
	fputc('\n', out);
}

static void report_path(unsigned from, unsigned until)
{
	fputs("path", out);
	for (; from < until; from++)
		fprintf(out, " %x+%x", blocks[from].code->number, blocks[from].begun);
	fputc('\n', out);
}

static void report_data(unsigned from, unsigned until)
{
	uint64_t last = 0;

	fputs("data", out);
	for (; from < until; from++) {
		const struct access *access = &accesses[from];

		fputc(access->instruction == last ? ',' : ' ', out);
		fputc(access->store ? 's' : 'l', out);
		fputc(access->device ? 'D' : 'M', out);
		fprintf(out, "%" PRIx64 ":%" PRIx64 "+%x", access->address, access->physical,
			access->bytes);
		last = access->instruction;
	}
	fputc('\n', out);
}

static void report_window(uint32_t word)
{
	for (unsigned i = 0; i < block_count; i++)
		report_code(blocks[i].code);
	fprintf(out, "window %" PRIx32 "\n", word);
	for (unsigned i = 0; i < visit_count; i++) {
		const struct visit *visit = &visits[i];
		bool is_last = i + 1 == visit_count;

		fprintf(out, "visit %x %" PRIx64 " %" PRIx64 "\n", visit->class, visit->argument,
			visit->fault);
		report_path(visit->block, is_last ? block_count : visit[1].block);
		report_data(visit->access, is_last ? access_count : visit[1].access);
	}
}

/* ---- what is executed ---- */

static void end_window(uint32_t word)
{
	if (is_lost)
		fputs("lost\n", out);
	else if (is_read && visit_count)
		report_window(word);
	block_count = access_count = visit_count = 0;
	is_lost = false;
	is_read = true;
}

static bool is_counter_read(uint32_t word)
{
	return is_a64 ? (word & ~A64_REGISTER) == A64_READ_CNTVCT
		      : (word & ~A32_REGISTERS) == A32_READ_CNTVCT;
}

/* End the previous block, which was executed to its end or left earlier. A read of a counter is the
 * last instruction of its block. */
static void end_block(void)
{
	uint32_t last = current->insn[current->length - 1].word;

	if (is_outside) {
		if (block_count == BLOCKS)
			is_lost = is_read;
		else
			blocks[block_count++] = (struct executed){ current, begun };
	} else if (begun == current->length && is_counter_read(last)) {
		end_window(last);
	}
}

static void begin_visit(uint64_t address)
{
	bool is_synchronous = is_a64 ? !(address & 0x180) : (address & 0x1f) != 0x18;

	if (visit_count == VISITS) {
		is_lost = is_read;
		return;
	}
	visits[visit_count++] = (struct visit){
		.class = is_synchronous ? (uint32_t)value_of(syndrome) >> EC_SHIFT : 0,
		.argument = value_of(argument),
		.fault = value_of(fault),
		.block = block_count,
		.access = access_count,
	};
}

/* Return whether the core is at EL2 or EL3 (Hyp or Monitor mode). */
static bool is_above_el1(void)
{
	uint64_t value = value_of(psr);

	if (value & 0x10) /* AArch32 */
		return (value & 0x1f) == 0x1a || (value & 0x1f) == 0x16;
	return (value >> 2 & 3) >= 2;
}

static void on_block(unsigned vcpu, void *data)
{
	struct code *code = data;
	bool was_outside = is_outside, was_at_el2 = is_at_el2;

	(void)vcpu;
	if (current)
		end_block();
	is_at_el2 = is_above_el1();
	if (!current || (was_at_el2 && !is_at_el2)) /* only EL2 changes HCR_EL2 */
		guest_translates = value_of(hcr) & HCR_VM;
	is_outside = is_at_el2 || !guest_translates;
	if (current && is_outside && !was_outside)
		begin_visit(code->address);
	current = code;
	begun = 0;
}

static void on_insn(unsigned vcpu, void *unused)
{
	(void)vcpu;
	(void)unused;
	begun++;
	instructions++;
}

static void on_access(unsigned vcpu, uint32_t info, uint64_t address, void *unused)
{
	struct physical *place;

	(void)vcpu;
	(void)unused;
	if (!is_outside || !is_read)
		return;
	if (access_count == ACCESSES) {
		is_lost = true;
		return;
	}
	place = qemu_plugin_get_hwaddr(info, address);
	accesses[access_count++] = (struct access){
		.address = address,
		.physical = qemu_plugin_hwaddr_phys_addr(place),
		.instruction = instructions,
		.bytes = 1u << qemu_plugin_mem_size_shift(info),
		.store = qemu_plugin_mem_is_store(info),
		.device = qemu_plugin_hwaddr_is_io(place),
	};
}

static void on_translation(uint64_t plugin, struct qemu_plugin_tb *tb)
{
	unsigned length = (unsigned)qemu_plugin_tb_n_insns(tb);
	struct code *code = calloc(1, sizeof(*code) + length * sizeof(code->insn[0]));

	(void)plugin;
	if (!code)
		fail("no memory");
	code->address = qemu_plugin_tb_vaddr(tb);
	code->length = length;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, REGISTERS_READ, code);
	for (unsigned i = 0; i < length; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		code->insn[i].place = qemu_plugin_insn_haddr(insn);
		qemu_plugin_insn_data(insn, &code->insn[i].word, sizeof(code->insn[i].word));
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn, REGISTERS_UNUSED, NULL);
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, REGISTERS_UNUSED,
						 MEMORY_READ | MEMORY_WRITE, NULL);
	}
}

static void on_end(uint64_t plugin, void *unused)
{
	(void)plugin;
	(void)unused;
	fclose(out);
}

__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t plugin,
							       const struct machine_info *info,
							       int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		fail("the option is out=<file>");
	out = fopen(argv[0] + 4, "w");
	if (!out)
		fail("no file to write to");
	qemu_plugin_register_vcpu_init_cb(plugin, on_core);
	qemu_plugin_register_vcpu_tb_trans_cb(plugin, on_translation);
	qemu_plugin_register_atexit_cb(plugin, on_end, NULL);
	return 0;
}
