/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that checks nothing but its registers: after any exit in any mode, and for any register
 * that an emulated access names, exactly those registers have changed that may change
 * (test_registers.py).
 *
 * A check fills every register with a pattern of its own, runs a few instructions that this guest
 * encodes, states the registers that must differ from the patterns, and compares. The name of a
 * check that fails is in an error record (bench.h).
 */
#include "bench.h"

#include "arch/mmio.h"

#define IIDR 0x43b
#define HVC_RESULT 0
#define SMC_RESULT -1

#define GICD_CTLR 0x000
#define GICD_IIDR 0x008
#define ISENABLER0 0x100
#define FIELD 0x420 /* priorities of INTIDs from 32 on, as many as a register has bytes */
#define GICR_SGI 0x10000
#define IGROUPR0 0x080
#define GICC_PMR 0x4
#define GICC_IAR 0xc
#define GICC_EOIR 0x10

#define MAP_NORMAL 0x004u /* attribute 1; attribute 0: a device */
#define MAP_MAIR 0x4404u  /* Device, Normal Non-cacheable */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PSCI_SYSTEM_OFF 0x84000008
#define UNKNOWN_ID 0x12345678

struct access {
	const char *name;
	uint32_t encoding;
	uint8_t log2_size;
	bool store;
	uint8_t sign_bits; /* number of bits to which a load sign-extends; 0: none */
	bool no_offset;
};

static uintptr_t expected[64];
static uint32_t flags;
static uint32_t *code;
static unsigned interrupts;
static uintptr_t gicd, gicc, gicr, actlr;

static void begin(unsigned mode);
static void emit(uint32_t word);
static void run_stub(unsigned mode);
static void verify(const char *name, int n, unsigned mode);
static void start_timer(void);
static void load_at(unsigned mode, const struct access *access, unsigned n, unsigned base,
		    uintptr_t address);
static void whole_accesses(unsigned mode, unsigned n, unsigned base);
static void every_access(unsigned mode, const struct access *list, unsigned count, unsigned n);
static void check_calls(unsigned mode);
static void check_actlr(unsigned mode, unsigned n);
static void check_wfi(unsigned mode);
static void check_woke_in_time(void);

#include REGISTERS_ISA

/* --- the parts of a check --- */

/* Begin a check: fill in the patterns, with other flags each time. */
static void begin(unsigned mode)
{
	for (unsigned slot = 0; slot < SLOTS; slot++)
		stub_in[slot] = (uintptr_t)pattern_of(slot);
	flags += 1;
	stub_in[SLOT_FLAGS] = (uintptr_t)(flags & 0xf) << 28;
	code = stub_code;
	enter_mode(mode);
}

static void emit(uint32_t word)
{
	if (code == stub_end)
		fail("stub_is_full", -1, "");
	*code++ = word;
}

/* Run the stub and expect the patterns. The caller then states the registers that must differ. */
static void run_stub(unsigned mode)
{
	leave_mode(mode);
	while (code < stub_end)
		*code++ = NOP;
	sync_code();
	for (unsigned slot = 0; slot < SLOTS; slot++)
		expected[slot] = stub_in[slot];
	stub_run();
	expect_mode(mode);
}

static void verify(const char *name, int n, unsigned mode)
{
	for (unsigned slot = 0; slot < SLOTS; slot++)
		if (stub_seen[slot] != expected[slot])
			fail(name, n, suffix_of[mode]);
}

/* Start a timer that expires after the registers are filled. */
static void start_timer(void)
{
	write_cntv_cval_el0(read_cntvct_el0() + 4000);
	write_cntv_ctl_el0(1);
	isb();
}

static uint32_t acknowledge_and_end(void)
{
	uint32_t iar;

#ifdef __aarch64__
	if (!gicc) {
		uint64_t iar1;

		__asm__ volatile("mrs %0, s3_0_c12_c12_0\n\tmsr s3_0_c12_c12_1, %0\n\tisb"
				 : "=r"(iar1)); /* ICC_IAR1_EL1, ICC_EOIR1_EL1 */
		return (uint32_t)iar1;
	}
#endif
	iar = mmio_read32(gicc + GICC_IAR);
	mmio_write32(gicc + GICC_EOIR, iar);
	return iar;
}

void on_irq(void)
{
	write_cntv_ctl_el0(0);
	isb();
	if (acknowledge_and_end() != guest_run->virt_timer_intid)
		fail("interrupt_id", -1, "");
	interrupts++;
}

/* --- emulated accesses --- */

/* FIELD is as wide as a register. */
static uintptr_t read_field(void)
{
	return *(volatile uintptr_t *)(gicd + FIELD);
}

static void write_field(uintptr_t value)
{
	*(volatile uintptr_t *)(gicd + FIELD) = value;
}

static uintptr_t low(uintptr_t value, unsigned bytes)
{
	return bytes == sizeof(value) ? value : value & (((uintptr_t)1 << 8 * bytes) - 1);
}

static uintptr_t sign_extended(uintptr_t value, unsigned bytes, unsigned bits)
{
	uintptr_t sign = (uintptr_t)1 << (8 * bytes - 1);

	return bits ? low((value ^ sign) - sign, bits / 8) : value;
}

static void load_at(unsigned mode, const struct access *access, unsigned n, unsigned base,
		    uintptr_t address)
{
	unsigned bytes = 1u << access->log2_size;
	uintptr_t value =
		address == gicd + GICD_IIDR ? IIDR : read_field() >> 8 * (address - gicd - FIELD);

	begin(mode);
	stub_in[base] = address;
	emit_access(access, n, base);
	run_stub(mode);
	if (n != ZERO_REGISTER)
		expected[slot_of(mode, n)] =
			sign_extended(low(value, bytes), bytes, access->sign_bits);
	verify(access->name, (int)n, mode);
}

/* A priority keeps its upper five bits. */
static void store_at(unsigned mode, const struct access *access, unsigned n, unsigned base,
		     uintptr_t address)
{
	unsigned shift = 8 * (unsigned)(address - gicd - FIELD);
	uintptr_t mask = low(UINTPTR_MAX, 1u << access->log2_size) << shift;
	uintptr_t value, untouched = UINTPTR_MAX / 0xff * 0xf8;

	write_field(UINTPTR_MAX);
	begin(mode);
	stub_in[base] = address;
	value = n == ZERO_REGISTER ? 0 : stub_in[slot_of(mode, n)];
	emit_access(access, n, base);
	run_stub(mode);
	verify(access->name, (int)n, mode);
	if (read_field() != ((untouched & ~mask) | (value << shift & mask)))
		fail(access->name, (int)n, "_stored");
}

/* Check every access of a whole word. */
static void whole_accesses(unsigned mode, unsigned n, unsigned base)
{
	for (unsigned i = 0; i < COUNT(accesses); i++) {
		const struct access *access = &accesses[i];

		if (access->log2_size < 2 || access->sign_bits || access->no_offset)
			continue;
		if (access->store)
			store_at(mode, access, n, base, gicd + FIELD);
		else
			load_at(mode, access, n, base, gicd + GICD_IIDR);
	}
}

/* Check every size and both signs, at both ends of FIELD. */
static void every_access(unsigned mode, const struct access *list, unsigned count, unsigned n)
{
	for (unsigned i = 0; i < count; i++) {
		unsigned bytes = 1u << list[i].log2_size, last = sizeof(uintptr_t) - bytes;

		for (unsigned at = 0; at <= last; at += last ? last : 1) {
			write_field((uintptr_t)0x7068605890c89880);
			(list[i].store ? store_at : load_at)(mode, &list[i], n, n == 1 ? 2 : 1,
							     gicd + FIELD + at);
			if (list[i].no_offset)
				break;
		}
	}
}

static void check_five_bits(void)
{
	write_field(0);
	mmio_write8(gicd + FIELD + 3, 0xff);
	if (read_field() != 0xf8000000)
		fail("five_bits", -1, "");
}

/* --- other exits --- */

static void call(const char *name, unsigned mode, uint32_t instruction, uint32_t id, int result)
{
	begin(mode);
	stub_in[0] = id;
	emit(instruction);
	run_stub(mode);
	expected[0] = (uintptr_t)result;
	verify(name, -1, mode);
}

/* HC_COLD returns by code of its own. */
static void check_cold(unsigned mode)
{
	begin(mode);
	stub_in[0] = HC_ID(COLD);
	stub_in[1] = STATE_WARM;
	emit(HVC);
	run_stub(mode);
	expected[0] = HVC_RESULT;
	verify("hvc_cold", -1, mode);
}

static void check_calls(unsigned mode)
{
	call("hvc", mode, HVC, HC_ID(NULL), HVC_RESULT);
	call("hvc", mode, HVC, HC_ID(RECORD), HC_EINVAL); /* register 1 is no record kind */
	call("hvc", mode, HVC, UNKNOWN_ID, HC_EUNKNOWN);
	check_cold(mode);
#ifndef IN_GEM5 /* undefined there, since that machine has no EL3 */
	call("smc", mode, SMC, PSCI_SYSTEM_OFF, SMC_RESULT);
#endif
}

static void check_actlr(unsigned mode, unsigned n)
{
	begin(mode);
	emit(MRS_ACTLR(n));
	run_stub(mode);
	if (n != ZERO_REGISTER)
		expected[slot_of(mode, n)] = actlr;
	verify("mrs_actlr_", (int)n, mode);
	if (n == ZERO_REGISTER)
		return;
	begin(mode);
	emit(MSR_ACTLR(n));
	run_stub(mode);
	verify("msr_actlr_", (int)n, mode);
	if (read_actlr_el1() != actlr)
		fail("actlr_written", -1, "");
}

/* A pending interrupt ends a WFI even if it is masked. */
static void check_wfi(unsigned mode)
{
	begin(mode);
	emit(WFI);
	start_timer();
	run_stub(mode);
	verify("wfi", -1, mode);
}

static void check_woke_in_time(void)
{
	if (read_cntvct_el0() < read_cntv_cval_el0())
		fail("wfi_woke_early", -1, "");
}

/* --- the machine --- */

static void map(void)
{
	static uint64_t table[4] __attribute__((aligned(64)));

	for (unsigned i = 0; i < 4; i++)
		table[i] = (uint64_t)i << 30 | MAP_BLOCK;
	table[(uintptr_t)table >> 30] |= MAP_NORMAL;
	map_flat(table);
}

static void gic_start(void)
{
	uint32_t timer = 1u << guest_run->virt_timer_intid;

	mmio_write32(gicd + GICD_CTLR, 3); /* group 0 of GICv2, group 1 of GICv3 */
	if (gicc) {
		mmio_write32(gicd + ISENABLER0, timer);
		mmio_write32(gicc + GICC_PMR, 0xf0);
		mmio_write32(gicc, 1);
		return;
	}
	mmio_write32(gicr + GICR_SGI + IGROUPR0, timer); /* interrupts begin in Group 0 */
	mmio_write32(gicr + GICR_SGI + ISENABLER0, timer);
#ifdef __aarch64__
	__asm__ volatile("msr s3_0_c12_c12_5, %0\n\tisb\n\t" /* ICC_SRE_EL1 */
			 "msr s3_0_c4_c6_0, %1\n\t"          /* ICC_PMR_EL1 */
			 "msr s3_0_c12_c12_7, %2\n\tisb"     /* ICC_IGRPEN1_EL1 */
			 ::"r"(7ul),
			 "r"(0xf0ul), "r"(1ul));
#endif
}

void bench_main(struct guest_run *run)
{
	guest_run = run;
	gicd = (uintptr_t)run->gicd_base;
	gicc = (uintptr_t)run->gicc_base;
	gicr = (uintptr_t)run->gicr_base;
	flags = interrupts = 0;
	map();
	gic_start();
	actlr = (uintptr_t)read_actlr_el1();
	check_accesses();
	check_five_bits();
	check_others();
	for (;;)
		bench_exit(EXIT_DONE);
}
