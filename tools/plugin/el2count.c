/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A QEMU plugin that counts from outside what a run of hypbench measures from inside. It counts
 * instructions by exception level, which it takes from PSTATE, in each visit to EL2 and in each
 * window of the bench guest.
 *
 * A visit lasts from the vector's first instruction to the ERET, or to the address `leave`, where a
 * core returns to its loop. The code that EL2 executes before a core's first guest is also a
 * visit, with vector 0. A call of a function `piece` by the core's loop is a visit with vector 0,
 * too, from the function's first instruction to its return.
 *
 * A window is the interval that the guest passes to samples_add(). The window ends with the read
 * of CNTPCT that returned `until`, and begins after the read that returned `from`. If `from` is a
 * value that the guest wrote to CNTV_CVAL or CNTP_CVAL, the window begins with the first
 * instruction after the core was woken or interrupted. An instruction counts when it begins, so an
 * aborted instruction counts, too.
 *
 * Options: out=<file>, add=<address of samples_add()>, vector=<address of the guest's IRQ vector>,
 * paths=on, data=on, leave=<address of code of EL2>, mark=<address of code of EL2> (up to 256
 * times), piece=<address of a function of EL2> (up to 4 times).
 * Lines of the file, in decimal:
 *   window <ticks> <guest> <el2> <visits> <aborted> <left>     one a window, in order
 *   lost <from> <until>                                        a window with an end not seen
 *   visit <vector> <class> <switch> <instructions> <times>     one a kind of visit, at the end
 *   marked <instructions> <marks>...                           the longest visit with each set of
 *                                                              marks, at the end, without visits
 *                                                              before a core's first guest
 *   longest <core> <class> <instructions>                      the core's longest visit of this
 *                                                              class, at the end
 *   lost <visits>                                              visits of kinds beyond MAX_VISITS
 *   path <block>...                                            with paths=on, after its window
 *   data <access>...                                           with data=on, after its window
 *   lost <number>                                              replaces a path or a data line that
 *                                                              is longer than the plugin keeps
 * `guest` and `el2` count instructions. `aborted` counts data aborts of the guest to EL2. `left`
 * counts the instructions that follow a trapped instruction in its translation block. `vector` is
 * an offset; `class` is the exception class, or 0 for an interrupt; `switch` is 1 if VTTBR at a
 * visit's end differs from VTTBR at its begin. A `block` of a path is g (guest), h (EL2) or s
 * (EL3), the address of its first instruction in hexadecimal, and +<number of its instructions
 * that began>. An `access` of EL2 is l (load) or s (store), M (memory) or D (device), its virtual
 * address in hexadecimal, and +<bytes>. A comma joins the accesses of one instruction.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/plugin/qemu_plugin.h"
#include "tools/plugin/registers.h"

#define MAX_CORES 8
#define REGISTERS 31u
#define STAMPS 32u /* the guest's last reads of the counter */
#define MAX_VISITS 4096u
#define TRAIL 4096u    /* a core's last blocks */
#define ACCESSES 8192u /* a core's last accesses */
#define MAX_MARKS 256u
#define MAX_PIECES 4u
#define LINK (is_a64 ? 30 : 14) /* the general register that has the return address */
#define MAX_SETS 1024u

#define EC_SHIFT 26
#define CLASSES 64u
#define EC_WFX 0x01u
#define EC_DATA_ABORT 0x24u

/* Instructions, without their registers. */
#define A64_REGISTER 0x1fu
#define A64_READ_CNTPCT 0xd53be020u
#define A64_WRITE_CNTV_CVAL 0xd51be340u
#define A64_WRITE_CNTP_CVAL 0xd51be240u
#define A64_WFI 0xd503207fu
#define A64_ERET 0xd69f03e0u
#define A32_REGISTERS 0xff000u
#define A32_READ_CNTPCT 0xec500f0eu
#define A32_WRITE_CNTV_CVAL 0xec400f3eu
#define A32_WRITE_CNTP_CVAL 0xec400f2eu
#define A32_WFI 0xe320f003u
#define A32_ERET 0xe160006eu

enum level { GUEST, EL2, EL3, LEVELS };

struct count {
	uint64_t at[LEVELS]; /* instructions */
	uint64_t visits, aborted, left;
	uint64_t blocks, accesses;
};

struct stamp {
	uint64_t ticks;
	struct count count; /* up to and including the instruction that took the stamp */
};

/* A translation block. An instruction that accesses a timer is always the last of its block. */
struct block {
	uint64_t address;
	unsigned length; /* in instructions */
	uint32_t last;
	unsigned mark; /* number of the mark at its address, from 1 on; 0: none */
	bool is_piece; /* a function `piece` begins here */
};

/* The marks whose blocks a visit executed. */
struct marks {
	uint64_t bits[MAX_MARKS / 64];
};

/* The longest visit with these marks. */
struct marked {
	struct marks marks;
	uint64_t length;
};

/* A block as it was executed. */
struct executed {
	uint64_t address;
	enum level level;
	unsigned begun;
};

/* A load or store of EL2. `instruction` numbers the instructions of EL2. */
struct access {
	uint64_t address, instruction;
	unsigned bytes;
	bool store, device;
};

/* Visits to EL2 of one kind. */
struct visit {
	unsigned vector, class, switches;
	bool is_of_start;     /* the code that a core executes before its first guest */
	uint64_t translation; /* VTTBR */
	uint64_t length, times;
	struct marks marks;
};

struct core {
	const struct block *block;
	enum level level;
	unsigned begun; /* instructions of the block that began */
	struct count count;
	struct stamp stamps[STAMPS];
	unsigned stamp_count;
	struct stamp armed; /* CVAL, and the count when the core was woken */
	bool waiting;       /* the core was not woken since `armed` was written */
	struct visit visit; /* the current visit; its length is the count at its start */
	bool in_loop;       /* the core is at EL2, but not in a visit */
	uint64_t returns;   /* return address of the current call of a function `piece`; 0: none */
	uint64_t longest[CLASSES];
	struct executed trail[TRAIL];
	struct access accesses[ACCESSES];
};

__attribute__((visibility("default"))) int qemu_plugin_version = PLUGIN_API;

static struct {
	uint64_t add, vector, leave;
	FILE *out;
	bool data, paths;
	uint64_t marks[MAX_MARKS], pieces[MAX_PIECES];
	unsigned mark_count, piece_count;
} options;

static struct core cores[MAX_CORES] = { [0 ... MAX_CORES - 1] = { .visit.is_of_start = true } };
static struct core *running = cores;
static uint64_t tables[MAX_CORES]; /* TTBR0_EL2 of each core; 0: not known yet */
static struct visit visits[MAX_VISITS];
static unsigned visit_count;
static uint64_t lost_visits;
static struct marked sets[MAX_SETS];
static unsigned set_count;

static bool is_a64;
static struct qemu_plugin_register *psr, *syndrome, *vttbr, *ttbr, *vmpidr, *stack_pointer;
static struct qemu_plugin_register *general[REGISTERS];

/* ---- registers ---- */

/* Find the registers. The handles are the same for every core. */
static void on_core(uint64_t plugin, unsigned vcpu)
{
	struct array *registers = qemu_plugin_get_registers();
	char name[8];

	(void)plugin;
	if (vcpu >= MAX_CORES)
		fail("too many cores");
	is_a64 = find(registers, "x0");
	for (unsigned i = 0; i < REGISTERS; i++) {
		snprintf(name, sizeof(name), "%c%u", is_a64 ? 'x' : 'r', i);
		general[i] = find(registers, name);
	}
	if (!is_a64)
		general[14] = find(registers, "lr");
	psr = find(registers, "cpsr");
	syndrome = find(registers, "ESR_EL2"); /* AArch32's HSR, too */
	vttbr = find(registers, is_a64 ? "VTTBR_EL2" : "VTTBR");
	ttbr = find(registers, is_a64 ? "TTBR0_EL2" : "HTTBR");
	vmpidr = find(registers, is_a64 ? "VMPIDR_EL2" : "VMPIDR");
	stack_pointer = find(registers, "sp");
}

static enum level level_now(void)
{
	uint32_t value = value_of(psr);

	if (value & 0x10) /* AArch32: Hyp, Monitor */
		return (value & 0x1f) == 0x1a ? EL2 : (value & 0x1f) == 0x16 ? EL3 : GUEST;
	return (value >> 2 & 3) < 2 ? GUEST : (value >> 2 & 3) == 2 ? EL2 : EL3;
}

/* Read the arguments `from` and `until` of a function, which follow a pointer. AArch32 passes
 * `from` in an even register and the next register, and `until` on the stack. */
static void read_arguments(uint64_t *from, uint64_t *until)
{
	if (is_a64) {
		*from = value_of(general[1]);
		*until = value_of(general[2]);
		return;
	}
	*from = value_of(general[3]) << 32 | value_of(general[2]);
	*until = memory_at(value_of(stack_pointer));
}

/* Return the operand of an instruction that accesses a timer: one register, or two on AArch32. */
static uint64_t operand_of(uint32_t insn)
{
	if (is_a64)
		return (insn & A64_REGISTER) == A64_REGISTER
			       ? 0
			       : value_of(general[insn & A64_REGISTER]);
	return value_of(general[insn >> 16 & 0xf]) << 32 | value_of(general[insn >> 12 & 0xf]);
}

/* ---- windows ---- */

static bool is_insn(uint32_t insn, uint32_t a64, uint32_t a32)
{
	return is_a64 ? (insn & ~A64_REGISTER) == a64 : (insn & ~A32_REGISTERS) == a32;
}

/* Note that the guest was woken: the timer that was armed has expired. */
static void note_wake(struct core *core)
{
	if (core->waiting)
		core->armed.count = core->count;
	core->waiting = false;
}

/* Note the effect of the last instruction of the previous block, if the block was executed to its
 * end. EL2 waits for a guest, too; enter() notes a wait that ends in EL2. */
static void note_timer(struct core *core, enum level now)
{
	uint32_t last = core->block->last;

	if (core->begun < core->block->length)
		return;
	if (last == (is_a64 ? A64_WFI : A32_WFI)) {
		if (core->level == now)
			note_wake(core);
		return;
	}
	if (core->level == EL2)
		return;
	if (is_insn(last, A64_READ_CNTPCT, A32_READ_CNTPCT)) {
		core->stamps[core->stamp_count++ % STAMPS] =
			(struct stamp){ operand_of(last), core->count };
	} else if (is_insn(last, A64_WRITE_CNTV_CVAL, A32_WRITE_CNTV_CVAL) ||
		   is_insn(last, A64_WRITE_CNTP_CVAL, A32_WRITE_CNTP_CVAL)) {
		core->armed.ticks = operand_of(last);
		core->waiting = true;
	}
}

static const struct stamp *stamp_of(const struct core *core, uint64_t ticks)
{
	for (unsigned i = 0; i < STAMPS && i < core->stamp_count; i++)
		if (core->stamps[i].ticks == ticks)
			return &core->stamps[i];
	return core->armed.ticks == ticks && !core->waiting ? &core->armed : NULL;
}

static void report_path(const struct core *core, uint64_t from, uint64_t until)
{
	if (until - from > TRAIL) {
		fprintf(options.out, "lost %" PRIu64 "\n", until - from);
		return;
	}
	fputs("path", options.out);
	for (; from < until; from++) {
		const struct executed *block = &core->trail[from % TRAIL];

		fprintf(options.out, " %c%" PRIx64 "+%u", "ghs"[block->level], block -> address,
			block -> begun);
	}
	fputc('\n', options.out);
}

static void report_data(const struct core *core, uint64_t from, uint64_t until)
{
	uint64_t instruction = 0;

	if (until - from > ACCESSES) {
		fprintf(options.out, "lost %" PRIu64 "\n", until - from);
		return;
	}
	fputs("data", options.out);
	for (; from < until; from++) {
		const struct access *access = &core->accesses[from % ACCESSES];

		fprintf(options.out, "%c%c%c%" PRIx64 "+%u",
			access->instruction == instruction ? ',' : ' ', "ls"[access->store],
			"MD"[access->device], access -> address, access -> bytes);
		instruction = access->instruction;
	}
	fputc('\n', options.out);
}

static void report_window(const struct core *core)
{
	const struct stamp *first, *last;
	const struct count *a, *b;
	uint64_t from, until;

	read_arguments(&from, &until);
	first = stamp_of(core, from);
	last = stamp_of(core, until);
	if (!first || !last) {
		fprintf(options.out, "lost %" PRIu64 " %" PRIu64 "\n", from, until);
		return;
	}
	a = &first->count;
	b = &last->count;
	fprintf(options.out, "window %" PRIu64 " %" PRIu64 " %" PRIu64, until - from,
		b->at[GUEST] - a->at[GUEST], b->at[EL2] - a->at[EL2]);
	fprintf(options.out, " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", b->visits - a->visits,
		b->aborted - a->aborted, b->left - a->left);
	if (options.paths)
		report_path(core, a->blocks, b->blocks);
	if (options.data)
		report_data(core, a->accesses, b->accesses);
}

/* ---- visits ---- */

static void enter(struct core *core, uint64_t address)
{
	unsigned vector = address & (is_a64 ? 0x7ff : 0x1f);
	bool is_synchronous = is_a64 ? !(vector & 0x180) : vector != 0x18;
	unsigned class = is_synchronous ? (uint32_t)value_of(syndrome) >> EC_SHIFT : 0;

	if (class != EC_WFX) /* a trapped WFI begins a wait */
		note_wake(core);
	core->visit = (struct visit){ .vector = vector,
				      .class = class,
				      .translation = value_of(vttbr),
				      .length = core->count.at[EL2] };
	core->in_loop = false;
	core->count.visits++;
	if (class == EC_DATA_ABORT)
		core->count.aborted++;
	else if (is_synchronous)
		core->count.left += core->block->length - core->begun;
}

static bool is_alike(const struct visit *a, const struct visit *b)
{
	return a->vector == b->vector && a->class == b->class && a->switches == b->switches &&
	       a->length == b->length;
}

/* Return whether EL2 executed an ERET. An interrupt may be taken right after the ERET: the core has
 * then left EL2, although no guest instruction is seen. */
static bool has_returned(const struct core *core)
{
	return core->level == EL2 && core->begun == core->block->length &&
	       core->block->last == (is_a64 ? A64_ERET : A32_ERET);
}

static void count_kind(const struct visit *visit)
{
	unsigned i;

	for (i = 0; i < visit_count && !is_alike(&visits[i], visit); i++)
		;
	if (i == MAX_VISITS) {
		lost_visits++;
		return;
	}
	if (i == visit_count)
		visits[visit_count++] = *visit;
	visits[i].times++;
}

static void keep_longest(const struct visit *visit)
{
	unsigned i;

	for (i = 0; i < set_count && memcmp(&sets[i].marks, &visit->marks, sizeof(struct marks));
	     i++)
		;
	if (i == MAX_SETS)
		fail("too many sets of marks");
	if (i == set_count)
		sets[set_count++].marks = visit->marks;
	if (visit->length > sets[i].length)
		sets[i].length = visit->length;
}

static void leave(struct core *core)
{
	struct visit *visit = &core->visit;

	if (core->in_loop)
		return;
	visit->length = core->count.at[EL2] - visit->length;
	visit->switches = value_of(vttbr) != visit->translation;
	count_kind(visit);
	if (options.mark_count && !visit->is_of_start)
		keep_longest(visit);
	if (visit->vector && visit->length > core->longest[visit->class])
		core->longest[visit->class] = visit->length;
}

static void begin_piece(struct core *core)
{
	core->visit =
		(struct visit){ .translation = value_of(vttbr), .length = core->count.at[EL2] };
	core->in_loop = false;
	core->returns = value_of(general[LINK]);
}

static void end_piece(struct core *core)
{
	leave(core);
	core->in_loop = true;
	core->returns = 0;
}

/* ---- what QEMU calls ---- */

static void on_insn(unsigned vcpu, void *unused)
{
	(void)vcpu;
	(void)unused;
	running->begun++;
	running->count.at[running->level]++;
}

/* Return the core whose own EL2 tables are at `table`. Before a core runs a guest it already uses
 * its tables, and VMPIDR has its number. */
static unsigned core_with(uint64_t table)
{
	unsigned core;

	for (core = 0; table && core < MAX_CORES; core++)
		if (tables[core] == table)
			return core;
	core = value_of(vmpidr) & 0xff;
	if (core >= MAX_CORES)
		fail("too many cores");
	tables[core] = table;
	return core;
}

static void on_access(unsigned vcpu, uint32_t info, uint64_t address, void *unused)
{
	struct core *core = running;

	(void)vcpu;
	(void)unused;
	if (core->level != EL2)
		return;
	core->accesses[core->count.accesses++ % ACCESSES] = (struct access){
		.address = address,
		.instruction = core->count.at[EL2],
		.bytes = 1u << qemu_plugin_mem_size_shift(info),
		.store = qemu_plugin_mem_is_store(info),
		.device = qemu_plugin_hwaddr_is_io(qemu_plugin_get_hwaddr(info, address)),
	};
}

/* The instruction at the address `leave` is next. The code before it may run into that address, so
 * no block needs to begin there. */
static void on_leave(unsigned vcpu, void *unused)
{
	(void)vcpu;
	(void)unused;
	if (running->level != EL2)
		return;
	leave(running);
	running->in_loop = true;
}

/* Return the core by TTBR0_EL2, which is the core's own. Under icount QEMU passes the number of the
 * core that had the block translated, and VMPIDR is that of the loaded vCPU. */
static struct core *core_now(void)
{
	return &cores[core_with(value_of(ttbr))];
}

static void on_block(unsigned vcpu, void *data)
{
	const struct block *block = data;
	struct core *core = core_now();
	enum level before = core->level;
	bool returned = has_returned(core);

	(void)vcpu;
	running = core;
	if (core->block) {
		core->trail[core->count.blocks++ % TRAIL] =
			(struct executed){ core->block->address, before, core->begun };
		note_timer(core, level_now());
	}
	core->level = level_now();
	if (before == EL2 && (returned || core->level != EL2))
		leave(core);
	if (core->block && core->level == EL2 && (returned || before == GUEST))
		enter(core, block->address);
	if (core->level == EL2 && core->returns == block->address)
		end_piece(core);
	if (core->level == EL2 && core->in_loop && block->is_piece)
		begin_piece(core);
	if (block->mark && core->level == EL2)
		core->visit.marks.bits[(block->mark - 1) / 64] |= 1ull << (block->mark - 1) % 64;
	if (block->address == options.vector)
		note_wake(core);
	else if (block->address == options.add)
		report_window(core);
	core->block = block;
	core->begun = 0;
}

/* Return the place of the address in the array, from 1 on, or 0. */
static unsigned place_of(uint64_t address, const uint64_t *array, unsigned count)
{
	unsigned i;

	for (i = 0; i < count && array[i] != address; i++)
		;
	return i < count ? i + 1 : 0;
}

/* Never free a block: QEMU does not report the end of a translation block. */
static void on_translation(uint64_t plugin, struct qemu_plugin_tb *tb)
{
	struct block *block = malloc(sizeof(*block));
	struct qemu_plugin_insn *insn;

	(void)plugin;
	if (!block)
		fail("no memory");
	block->address = qemu_plugin_tb_vaddr(tb);
	block->length = qemu_plugin_tb_n_insns(tb);
	block->last = 0;
	block->mark = place_of(block->address, options.marks, options.mark_count);
	block->is_piece = place_of(block->address, options.pieces, options.piece_count);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, REGISTERS_READ, block);
	for (unsigned i = 0; i < block->length; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		if (qemu_plugin_insn_vaddr(insn) == options.leave)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_leave, REGISTERS_READ,
							       NULL);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn, REGISTERS_UNUSED, NULL);
		if (options.data)
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, REGISTERS_UNUSED,
							 MEMORY_READ | MEMORY_WRITE, NULL);
		qemu_plugin_insn_data(insn, &block->last, sizeof(block->last));
	}
}

static void report_longest(unsigned core)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (cores[core].longest[i])
			fprintf(options.out, "longest %u %u %" PRIu64 "\n", core, i,
				cores[core].longest[i]);
}

static void report_marked(const struct marked *set)
{
	fprintf(options.out, "marked %" PRIu64, set->length);
	for (unsigned i = 0; i < MAX_MARKS / 64; i++)
		fprintf(options.out, " %" PRIx64, set->marks.bits[i]);
	fputc('\n', options.out);
}

static void on_end(uint64_t plugin, void *unused)
{
	(void)plugin;
	(void)unused;
	for (const struct visit *visit = visits; visit < visits + visit_count; visit++)
		fprintf(options.out, "visit %u %u %u %" PRIu64 " %" PRIu64 "\n", visit->vector,
			visit->class, visit->switches, visit->length, visit->times);
	for (unsigned i = 0; i < set_count; i++)
		report_marked(&sets[i]);
	for (unsigned core = 0; core < MAX_CORES; core++)
		report_longest(core);
	if (lost_visits)
		fprintf(options.out, "lost %" PRIu64 "\n", lost_visits);
	fclose(options.out);
}

static void take_option(const char *word)
{
	const char *value = strchr(word, '=');

	if (!value++)
		fail("an option without a value");
	if (!strncmp(word, "out=", 4))
		options.out = fopen(value, "w");
	else if (!strncmp(word, "add=", 4))
		options.add = strtoull(value, NULL, 0);
	else if (!strncmp(word, "leave=", 6))
		options.leave = strtoull(value, NULL, 0);
	else if (!strncmp(word, "mark=", 5) && options.mark_count < MAX_MARKS)
		options.marks[options.mark_count++] = strtoull(value, NULL, 0);
	else if (!strncmp(word, "piece=", 6) && options.piece_count < MAX_PIECES)
		options.pieces[options.piece_count++] = strtoull(value, NULL, 0);
	else if (!strncmp(word, "vector=", 7))
		options.vector = strtoull(value, NULL, 0);
	else if (!strcmp(word, "paths=on"))
		options.paths = true;
	else if (!strcmp(word, "data=on"))
		options.data = true;
	else
		fail("an option that is not known");
}

__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t plugin,
							       const struct machine_info *info,
							       int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		take_option(argv[i]);
	if (!options.out)
		fail("no file to write to");
	qemu_plugin_register_vcpu_init_cb(plugin, on_core);
	qemu_plugin_register_vcpu_tb_trans_cb(plugin, on_translation);
	qemu_plugin_register_atexit_cb(plugin, on_end, NULL);
	return 0;
}
