/* SPDX-License-Identifier: Apache-2.0 */
/* ARMv8's part of registers.c: slots of a snapshot, encodings (DDI 0487 C4.1), one mode. */
#pragma once

#define SLOTS 34
#define SLOT_SP 31 /* the stub's stack */
#define SLOT_SP_EL0 32
#define SLOT_FLAGS 33
#define ZERO_REGISTER 31
#define MAP_BLOCK 0x401u /* a block with its access flag */
#define NOP 0xd503201f

enum mode { MODE_EL1, MODES };
static const char *const suffix_of[MODES] = { "" };

static const struct access accesses[] = {
	/* name, encoding, log2 of bytes, store, bits after sign extension, only offset 0 */
	{ "ldr_w", 0xb9400000, 2, false, 0, false },
	{ "ldr_x", 0xf9400000, 3, false, 0, false },
	{ "ldrb_w", 0x39400000, 0, false, 0, false },
	{ "ldrh_w", 0x79400000, 1, false, 0, false },
	{ "ldrsb_w", 0x39c00000, 0, false, 32, false },
	{ "ldrsb_x", 0x39800000, 0, false, 64, false },
	{ "ldrsh_w", 0x79c00000, 1, false, 32, false },
	{ "ldrsh_x", 0x79800000, 1, false, 64, false },
	{ "ldrsw_x", 0xb9800000, 2, false, 64, false },
	{ "ldar_w", 0x88dffc00, 2, false, 0, true },
	{ "str_w", 0xb9000000, 2, true, 0, false },
	{ "str_x", 0xf9000000, 3, true, 0, false },
	{ "strb_w", 0x39000000, 0, true, 0, false },
	{ "strh_w", 0x79000000, 1, true, 0, false },
	{ "stlr_w", 0x889ffc00, 2, true, 0, true },
};

static void emit_access(const struct access *access, unsigned n, unsigned base)
{
	emit(access->encoding | base << 5 | n);
}

#define HVC 0xd4000002
#define SMC 0xd4000003
#define MRS_ACTLR(n) (0xd5381020 | (n))
#define MSR_ACTLR(n) (0xd5181020 | (n))
#define WFI 0xd503207f
#define HERE 0x14000000 /* b . */

static unsigned slot_of(enum mode mode, unsigned n)
{
	(void)mode;
	return n;
}

/* All bytes differ, and are 0 in the three bits that a priority does not keep. */
static uint64_t pattern_of(unsigned slot)
{
	return 0x0101010101010101ull * ((slot + 1) << 3) ^ 0x58a0c8187030e840;
}

static void enter_mode(enum mode mode)
{
	(void)mode;
}

static void leave_mode(enum mode mode)
{
	(void)mode;
}

/* stub_run() sets SP to its own stack. */
static void expect_mode(enum mode mode)
{
	(void)mode;
	expected[SLOT_SP] = stub_in[SLOT_SP];
}

static void sync_code(void)
{
	__asm__ volatile("dsb sy\n\tic iallu\n\tdsb sy\n\tisb" ::: "memory");
}

/* Turn the MMU on, flat. While stage 1 is off, gem5 reports a stage-2 abort with FAR_EL2 = 0. */
static void map_flat(const uint64_t *table)
{
	write_mair_el1(MAP_MAIR);
	write_tcr_el1(1 << 23 | 32); /* EPD1; T0SZ: 4 GiB from TTBR0_EL1 */
	write_ttbr0_el1((reg_t)table);
	dsb_sy();
	isb();
	write_sctlr_el1(read_sctlr_el1() | 1);
	isb();
}

#define MSR_SPSEL(n) (0xd50040bf | (n) << 8)
#define UNMASK_IRQ 0xd50342ff
#define MASK_IRQ 0xd50342df

/* Take an interrupt at `b .`, with either stack pointer, after the instruction `first`. */
static void interrupt(const char *name, unsigned spsel, uint32_t first)
{
	begin(MODE_EL1);
	emit(MSR_SPSEL(spsel));
	emit(first);
	emit(UNMASK_IRQ);
	emit(HERE);
	emit(MASK_IRQ);
	emit(MSR_SPSEL(1));
	start_timer();
	run_stub(MODE_EL1);
	verify(name, -1, MODE_EL1);
}

static void check_interrupts(void)
{
	for (unsigned i = 0; i < 4; i++) {
		interrupt("irq", 1, NOP);
		interrupt("irq_sp_el0", 0, NOP);
	}
	interrupt("irq_after_wfi", 1, WFI);
	interrupt("irq_after_wfi_sp_el0", 0, WFI);
	if (interrupts != 10)
		fail("interrupts_counted", -1, "");
}

static void check_accesses(void)
{
	static const uint8_t some[] = { 0, 5, 17, 18, 19, 29, 30, ZERO_REGISTER };

	for (unsigned n = 0; n <= ZERO_REGISTER; n++)
		whole_accesses(MODE_EL1, n, n == 1 ? 2 : 1);
	load_at(MODE_EL1, &accesses[0], 1, 1, gicd + GICD_IIDR); /* the base is the data register */
	load_at(MODE_EL1, &accesses[1], 30, 30, gicd + GICD_IIDR);
	for (unsigned i = 0; i < COUNT(some); i++)
		every_access(MODE_EL1, accesses, COUNT(accesses), some[i]);
}

static void check_others(void)
{
	static const uint8_t some[] = { 0, 1, 5, 16, 17, 18, 19, 28, 29, 30, ZERO_REGISTER };

	check_calls(MODE_EL1);
	for (unsigned i = 0; i < COUNT(some); i++)
		check_actlr(MODE_EL1, some[i]);
	check_interrupts();
	check_wfi(MODE_EL1);
	check_woke_in_time();
}
