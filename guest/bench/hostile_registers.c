/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that writes random values to every register of the vGIC and of the timers that it can
 * reach, and reads these registers: in all widths, one access in eight unaligned, at documented
 * offsets and between them. The guest also makes random calls, PSCI's among them, by HVC and by
 * SMC, without those that end a VM or wait. The benchmark has n steps of one access each; it is
 * skipped with irq=direct.
 * Meanwhile the guest acknowledges and ends every interrupt, turns off a timer that fires, and
 * turns off the CPU interface if one step has seen 64 interrupts. About every 256 steps the guest
 * sets up the interrupt controller anew, so that interrupts still come. Check ok: the guest reaches
 * its end by its own count. `reads`, `writes`, `trapped`, `hypercalls` and `smcs` are the exits
 * that the guest caused: with stats=on the hypervisor must count exactly as many. `faults` counts
 * accesses that its own level refused, `special` counts interrupts with a special INTID.
 * Proof: tests/qemu/test_hostile_registers.py.
 */
#include "arch/counter.h"
#include "arch/hypercall.h"
#include "arch/mmio.h"
#include "drivers/gic/gic_regs.h"
#include "guest/kernel/any_access.h"
#include "guest/kernel/guest_arch.h"
#include "guest/kernel/irq.h"
#include "guest/kernel/mmu.h"
#include "guest/kernel/ptimer.h"
#include "guest/kernel/vtimer.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"
#include "guest_arch/any_register.h"
#include "lib/bits.h"
#include "lib/lpae.h"
#include "lib/random.h"

#define GICC_SIZE 0x2000u
#define GICC_CTLR_ACKCTL (1u << 2) /* GICC_IAR acknowledges both groups */
#define GICC_CTLR_ALL (GICC_CTLR_ENABLE_GRP0 | GICC_CTLR_ENABLE_GRP1 | GICC_CTLR_ACKCTL)
#define IAR_GROUP1 1022u /* read only with AckCtl */

#define REVIVE_STEPS 256u /* mean number of steps between two new setups */
#define STORM 64u         /* interrupts within one step */
#define SOON_TICKS 8192u

#define PSCI_BASE 0x84000000u
#define PSCI_64 0x40000000u
#define PSCI_NEAR 32u /* more than the number of PSCI functions */

static const struct guest_run *guest;
static struct random random;

/* The accesses so far, by the kind of exit that EL2 must count. */
static struct {
	int64_t reads, writes, trapped, hypercalls, smcs; /* exits */
	int64_t untrapped, faults, revivals, storms;
	/* accesses that do not trap until EL2 needs each deactivation */
	int64_t dir_reads, dir_writes;
	volatile int64_t interrupts, in_handler; /* in_handler: exits of the handler */
} done;

static volatile uint32_t in_step; /* interrupts since the step began */

static bool has_sysregs(void)
{
	return gic_version() == 3;
}

/* --- values --- */

static uint64_t random_64(void)
{
	uint64_t high = random_next(&random);

	return high << 32 | random_next(&random);
}

/* Return a random value: any value, one bit, 0 or all ones. */
static uint64_t random_value(void)
{
	switch (random_below(&random, 4)) {
	case 0:
		return random_64();
	case 1:
		return 1ull << random_below(&random, 64);
	case 2:
		return 0;
	default:
		return UINT64_MAX;
	}
}

/* --- accesses: each allows as many faults as it has instructions --- */

/* Return whether no access faulted since a fault was allowed. */
static bool went_well(void)
{
	bool well = guest_faults_allowed;

	guest_faults_allowed = 0;
	done.faults += !well;
	return well;
}

static bool load(uintptr_t address, unsigned log2_size)
{
	guest_faults_allowed = 1;
	read_any(address, log2_size);
	return went_well();
}

static bool store(uintptr_t address, unsigned log2_size, uint64_t value)
{
	guest_faults_allowed = 1;
	write_any(address, log2_size, value);
	return went_well();
}

/* Write word i of a bank of bits. On GICv3 the redistributor has the private interrupts. */
static void bank_write(uint32_t bank, unsigned i, uint32_t value)
{
	uintptr_t base = (uintptr_t)guest->gicd_base;

	if (i == 0 && has_sysregs())
		base = (uintptr_t)guest->gicr_base + GICR_SGI_OFFSET;
	done.writes += store(base + bank + 4 * i, 2, value);
}

/* Count the exit of an access to an emulated register. */
static void emulated(uintptr_t address, unsigned log2_size)
{
	if (random_next(&random) & 1)
		done.reads += load(address, log2_size);
	else
		done.writes += store(address, log2_size, random_value());
}

static unsigned random_log2_size(void)
{
	return random_below(&random, sizeof(reg_t) == 8 ? 4 : 3);
}

/* Return a random offset: aligned in seven of eight cases. */
static uint32_t random_offset(uint32_t size, unsigned log2_size)
{
	uint32_t offset = random_below(&random, size - (1u << log2_size) + 1);

	return random_below(&random, 8) ? offset >> log2_size << log2_size : offset;
}

/* --- a step --- */

/* Return a random offset in a bank of registers. The banks lie alike in a distributor and in a
 * redistributor's second frame. */
static uint32_t bank_offset(void)
{
	static const struct {
		uint16_t start, size;
	} banks[] = {
		{ GICD_CTLR, 4 },         { GICD_IGROUPR, 16 },     { GICD_ISENABLER, 16 },
		{ GICD_ICENABLER, 16 },   { GICD_ISPENDR, 16 },     { GICD_ICPENDR, 16 },
		{ GICD_ISACTIVER, 16 },   { GICD_ICACTIVER, 16 },   { GICD_IPRIORITYR, 128 },
		{ GICD_ITARGETSR, 128 },  { GICD_ICFGR, 32 },       { GICD_SGIR, 4 },
		{ GICD_SGIR + 0x10, 16 }, { GICD_SGIR + 0x20, 16 },
	};
	unsigned i = random_below(&random, ARRAY_SIZE(banks));

	return banks[i].start + random_below(&random, banks[i].size);
}

static void touch_emulated(uintptr_t base, uint32_t size, uint32_t banks)
{
	unsigned log2_size = random_log2_size();

	if (random_below(&random, 4))
		emulated(base + banks + (bank_offset() >> log2_size << log2_size), log2_size);
	else
		emulated(base + random_offset(size, log2_size), log2_size);
}

static void touch_distributor(void)
{
	touch_emulated((uintptr_t)guest->gicd_base, has_sysregs() ? 0x10000 : 0x1000, 0);
}

static void touch_redistributor(void)
{
	touch_emulated((uintptr_t)guest->gicr_base, 0x20000, GICR_SGI_OFFSET);
}

/* Return a value for the CPU interface, usually an INTID. */
static uint64_t cpu_value(unsigned log2_size)
{
	return random_value() & (log2_size == 2 ? 0x3ff : UINT64_MAX);
}

/* Access GICV without an exit. Only its second page, with GICC_DIR, traps once EL2 needs each
 * deactivation. */
static void touch_cpu_interface(void)
{
	static const uint16_t known[] = { GICC_CTLR, GICC_PMR,  GICC_BPR, GICC_IAR, GICC_EOIR,
					  0x14,      0x18,      0x1c,     0x20,     0x24,
					  0x28,      GICC_APR0, 0xfc,     GICC_DIR };
	unsigned log2_size = random_below(&random, 8) ? 2 : random_log2_size();
	uint32_t offset = known[random_below(&random, ARRAY_SIZE(known))];
	uintptr_t address = (uintptr_t)guest->gicc_base;
	bool is_dir;

	if (random_below(&random, 4) == 0)
		offset = random_offset(GICC_SIZE, log2_size);
	is_dir = offset >= GICC_DIR;
	if (random_next(&random) & 1)
		done.dir_reads += load(address + offset, log2_size) && is_dir;
	else
		done.dir_writes +=
			store(address + offset, log2_size, cpu_value(log2_size)) && is_dir;
	done.untrapped += !is_dir;
}

static bool is_trapped(enum any_kind kind)
{
	return kind == ANY_SGI || (kind == ANY_CNTP && guest->config.cntp == CNTP_EMULATED);
}

static void touch_register(unsigned which, uint64_t value)
{
	enum any_kind kind = any_kind(which);

	guest_faults_allowed = 1;
	if (random_next(&random) & 1)
		any_read(which);
	else
		any_write(which, any_value(which, value));
	if (!went_well())
		done.untrapped++;
	else if (kind == ANY_DIR)
		done.dir_writes++;
	else if (is_trapped(kind))
		done.trapped++;
	else
		done.untrapped++;
}

/* Program a timer, usually for the near future, so that it fires. */
static void touch_timer(void)
{
	uint64_t value = random_value();

	switch (random_below(&random, 3)) {
	case 0:
		value = counter_read() + random_below(&random, SOON_TICKS);
		break;
	case 1:
		value = random_below(&random, SOON_TICKS);
	}
	touch_register(random_below(&random, ANY_TIMERS), value);
}

/* Write an interface register: an SGI to this core, or any value. */
static void touch_interface_register(void)
{
	uint64_t value = random_value();

	if (random_next(&random) & 1)
		value = (uint64_t)random_below(&random, 16) << 24 | random_below(&random, 4);
	touch_register(ANY_TIMERS + random_below(&random, ANY_REGISTERS - ANY_TIMERS), value);
}

/* Return whether this function ends a VM or this vCPU, waits, or disturbs the counts. */
static bool is_excluded(uint32_t id)
{
	switch (id & ~PSCI_64) {
	case PSCI_BASE + 1:  /* CPU_SUSPEND */
	case PSCI_BASE + 2:  /* CPU_OFF */
	case PSCI_BASE + 8:  /* SYSTEM_OFF */
	case PSCI_BASE + 9:  /* SYSTEM_RESET */
	case PSCI_BASE + 18: /* SYSTEM_RESET2 */
		return true;
	}
	return id == HC_ID(EXIT) || id == HC_ID(RECORD) || id == HC_ID(MEASURE) ||
	       id == HC_ID(COLD);
}

static uint32_t random_function(void)
{
	switch (random_below(&random, 4)) {
	case 0:
		return PSCI_BASE + random_below(&random, PSCI_NEAR);
	case 1:
		return (PSCI_BASE | PSCI_64) + random_below(&random, PSCI_NEAR);
	case 2:
		return HC_BASE + random_below(&random, HC_COUNT + 2);
	default:
		return random_next(&random);
	}
}

static void call(void)
{
	uint32_t id = random_function();
	reg_t first = (reg_t)random_value(), second = (reg_t)random_value();

	if (is_excluded(id))
		id = HC_ID(NULL);
	if (id == HC_ID(RAISE) && guest->physical_spi_count)
		first = guest->physical_spi_first +
			random_below(&random, guest->physical_spi_count);
	if (guest->smc_undefined || (random_next(&random) & 1)) {
		hvc(id, first, second);
		done.hypercalls++;
	} else {
		smc(id, first, second);
		done.smcs++;
	}
}

/* --- the guest stays alive --- */

static void enable_cpu_interface(void)
{
	if (has_sysregs()) {
		gic_cpu_init(false);
		return;
	}
	store((uintptr_t)guest->gicc_base + GICC_APR0, 2, 0);
	store((uintptr_t)guest->gicc_base + GICC_PMR, 2, 0xff);
	store((uintptr_t)guest->gicc_base + GICC_CTLR, 2, GICC_CTLR_ALL);
}

/*
 * Deactivate all interrupts, let any interrupt be enabled and pending, and acknowledge a signalled
 * one.
 */
static void revive(void)
{
	bool all = random_below(&random, 8) == 0;

	done.revivals++;
	irq_mask();
	for (unsigned i = 0; i < 4; i++) {
		bank_write(GICD_ICACTIVER, i, UINT32_MAX);
		if (all)
			bank_write(GICD_ICPENDR, i, UINT32_MAX);
		bank_write(GICD_ISENABLER, i, random_next(&random));
	}
	done.writes += store((uintptr_t)guest->gicd_base + GICD_CTLR, 2,
			     GICD_CTLR_ENABLE_GRP0 | GICD_CTLR_ENABLE_GRP1);
	enable_cpu_interface();
	in_step = 0;
	irq_unmask();
}

/*
 * End a storm of interrupts that would keep the core from its next step: signal no interrupt until
 * revive().
 */
static void end_storm(void)
{
	done.storms++;
	in_step = 0;
	if (has_sysregs())
		any_write(ANY_REGISTERS - 1, 0); /* IGRPEN1 */
	else
		mmio_write32((uintptr_t)guest->gicc_base + GICC_CTLR, 0);
}

static void quiet_timers(void)
{
	write_cntv_ctl_el0(0);
	ptimer_off();
	done.in_handler += guest->config.cntp == CNTP_EMULATED;
}

static void on_any(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	done.interrupts++;
	if (gic_intid(iar) == guest->virt_timer_intid || gic_intid(iar) == guest->phys_timer_intid)
		quiet_timers();
	if (++in_step > STORM)
		end_storm();
}

static void on_special(uint32_t iar)
{
	if (++in_step > STORM)
		end_storm();
	else if (gic_intid(iar) == IAR_GROUP1 && !has_sysregs())
		mmio_write32((uintptr_t)guest->gicc_base + GICC_CTLR, GICC_CTLR_ALL);
}

/* --- the benchmark --- */

static void step(void)
{
	in_step = 0;
	switch (random_below(&random, 8)) {
	case 0:
	case 1:
		touch_distributor();
		break;
	case 2:
		if (has_sysregs())
			touch_redistributor();
		else
			touch_distributor();
		break;
	case 3:
	case 4:
		if (has_sysregs())
			touch_interface_register();
		else
			touch_cpu_interface();
		break;
	case 5:
	case 6:
		touch_timer();
		break;
	default:
		call();
	}
}

/* Map the range as normal memory, so that every width and alignment reaches EL2. */
static void map_as_memory(uint64_t start, uint64_t size)
{
	mmu_unmap(start, size);
	mmu_map_memory(start, size);
}

static void begin(const struct guest_run *run)
{
	guest = run;
	random_init(&random, run->bench.params.seed, 0);
	if (has_sysregs()) {
		map_as_memory(run->gicd_base, 0x10000);
		map_as_memory(run->gicr_base, 0x20000);
	} else {
		map_as_memory(run->gicd_base, PAGE_SIZE);
	}
	for (unsigned i = 0; i < IRQ_COUNT; i++)
		irq_set_handler(i, on_any);
	irq_on_special(on_special);
	guest_arch_survive();
}

static void hostile_registers_run(const struct guest_run *run)
{
	uint32_t steps = 0;

	begin(run);
	hvc(HC_ID(MEASURE), 1, 0);
	revive();
	while (steps < run->bench.params.n) {
		if (random_below(&random, REVIVE_STEPS) == 0)
			revive();
		step();
		steps++;
	}
	irq_mask();
	hvc(HC_ID(MEASURE), 0, 0);

	struct member members[] = {
		{ "steps", steps },
		{ "reads", done.reads },
		{ "writes", done.writes },
		{ "trapped", done.trapped + done.in_handler },
		{ "hypercalls", done.hypercalls },
		{ "smcs", done.smcs },
		{ "untrapped", done.untrapped },
		{ "dir_reads", done.dir_reads },
		{ "dir_writes", done.dir_writes },
		{ "faults", done.faults },
		{ "interrupts", done.interrupts },
		{ "special", irq_spurious_count() },
		{ "storms", done.storms },
		{ "revivals", done.revivals },
	};
	report_check("registers", steps == run->bench.params.n, members, ARRAY_SIZE(members));
}

static const char *needs_emulation(const struct guest_run *run)
{
	return run->config.irq == IRQ_TRAPPED
		       ? NULL
		       : "the interrupt controller is not emulated; choose trapped";
}

static const struct bench hostile_registers = {
	.name = "hostile_registers",
	.prepare = needs_emulation,
	.run = hostile_registers_run,
};
BENCH(hostile_registers);
