/* SPDX-License-Identifier: Apache-2.0 */
/* ARMv7's part of registers.c: slots of a snapshot, encodings (DDI 0406C A8.8), modes, Thumb. */
#pragma once

#define SLOTS 36
#define SLOT_FLAGS 15 /* CPSR */
#define SLOT_FIQ 16
#define SLOT_LR_IRQ 25
#define SLOT_SPSR_IRQ 26
#define SLOT_LR_SVC 28
#define SLOT_SPSR_SVC 29
#define ZERO_REGISTER 99 /* there is none */
#define MAP_BLOCK 0x441u /* a block with its access flag, also for PL0 */
#define NOP 0xe320f000

enum mode { USR, FIQ, IRQ, SVC, ABT, UND, SYS, MODES };
static const char *const suffix_of[MODES] = {
	"_usr", "_fiq", "_irq", "_svc", "_abt", "_und", "_sys"
};
static const uint8_t psr_of[MODES] = { 0x10, 0x11, 0x12, 0x13, 0x17, 0x1b, 0x1f };
static const uint8_t slot_of_sp[MODES] = { 13, 21, 24, 27, 30, 33, 13 };

#define AIF 0x1c0u
#define PSR_I 0x80u

/* Encodings: ARM from 0xe0000000 on; Thumb with 16 bits, or with 32 bits as the first half, without
 * its upper three bits, and the second half */
static const struct access accesses[] = {
	/* name, encoding, log2 of bytes, store, bits after sign extension */
	{ "ldr_r", 0xe5900000, 2, false, 0, false },
	{ "str_r", 0xe5800000, 2, true, 0, false },
	{ "ldrb_r", 0xe5d00000, 0, false, 0, false },
	{ "ldrh_r", 0xe1d000b0, 1, false, 0, false },
	{ "ldrsb_r", 0xe1d000d0, 0, false, 32, false },
	{ "ldrsh_r", 0xe1d000f0, 1, false, 32, false },
	{ "strb_r", 0xe5c00000, 0, true, 0, false },
	{ "strh_r", 0xe1c000b0, 1, true, 0, false },
};
static const struct access thumb_narrow[] = {
	{ "thumb_ldr_r", 0x6800, 2, false, 0, false },
	{ "thumb_ldrb_r", 0x7800, 0, false, 0, false },
	{ "thumb_ldrh_r", 0x8800, 1, false, 0, false },
	{ "thumb_str_r", 0x6000, 2, true, 0, false },
	{ "thumb_strb_r", 0x7000, 0, true, 0, false },
	{ "thumb_strh_r", 0x8000, 1, true, 0, false },
};
static const struct access thumb_wide[] = {
	{ "thumb_ldr.w_r", 0x18d00000, 2, false, 0, false },
	{ "thumb_ldrb.w_r", 0x18900000, 0, false, 0, false },
	{ "thumb_ldrh.w_r", 0x18b00000, 1, false, 0, false },
	{ "thumb_ldrsb.w_r", 0x19900000, 0, false, 32, false },
	{ "thumb_ldrsh.w_r", 0x19b00000, 1, false, 32, false },
	{ "thumb_str.w_r", 0x18c00000, 2, true, 0, false },
	{ "thumb_strb.w_r", 0x18800000, 0, true, 0, false },
	{ "thumb_strh.w_r", 0x18a00000, 1, true, 0, false },
};

#define HVC 0xe1400070
#define SMC 0xe1600070
#define MRS_ACTLR(n) (0xee110f30 | (n) << 12)
#define MSR_ACTLR(n) (0xee010f30 | (n) << 12)
#define WFI 0xe320f003
#define HERE 0xeafffffe /* b . */
#define SVC_0 0xef000000
#define CPS(mode) (0xf1020000 | psr_of[mode])
#define CPSIE_I(mode) (0xf10a0080 | psr_of[mode])
#define CPSID_I 0xf10c0080
#define CMP_R0_R0 0xe1500000
#define LOAD_PC_NEXT 0xe51ff004  /* ldr pc, [pc, #-4]: the next word */
#define THUMB_LOAD_PC 0xf000f8df /* ldr.w pc, [pc]: the next word, at a multiple of 4 */
#define THUMB_NOP 0xbf00

static unsigned slot_of(enum mode mode, unsigned n)
{
	if (mode == FIQ && n >= 8)
		return SLOT_FIQ + n - 8;
	return n < 13 ? n : slot_of_sp[mode] + n - 13;
}

/* All bytes differ, and are 0 in the three bits that a priority does not keep. SPSRs have different
 * flags, and SVC mode. */
static uint32_t pattern_of(unsigned slot)
{
	if (slot >= 21 && slot % 3 == 2)
		return (slot - 20) / 3 << 28 | AIF | psr_of[SVC];
	return ((slot & 31) * 0x08080808 ^ (slot >> 5) * 0x00f80800) ^ 0x58a0c818;
}

static uintptr_t behind_svc;

static void enter_mode(enum mode mode)
{
	emit(CPS(mode));
}

/* The stub leaves User mode by an SVC, which changes LR and SPSR of SVC mode. */
static void leave_mode(enum mode mode)
{
	if (mode == USR)
		emit(SVC_0);
	behind_svc = (uintptr_t)code;
}

static void expect_mode(enum mode mode)
{
	expected[SLOT_FLAGS] |= AIF | psr_of[mode];
	if (mode != USR)
		return;
	expected[SLOT_LR_SVC] = behind_svc;
	expected[SLOT_SPSR_SVC] = expected[SLOT_FLAGS];
	expected[SLOT_FLAGS] |= psr_of[SVC];
}

static void expect_flags(uint32_t nzcv)
{
	expected[SLOT_FLAGS] = (expected[SLOT_FLAGS] & 0x0fffffff) | nzcv << 28;
}

static void sync_code(void)
{
	__asm__ volatile("dsb\n\tmcr p15, 0, %0, c7, c5, 0\n\tdsb\n\tisb" ::"r"(0) : "memory");
}

/* Turn the MMU on, flat. While stage 1 is off, gem5 reports a stage-2 abort with HDFAR = 0. */
static void map_flat(const uint64_t *table)
{
	write_tcr_el1(1u << 31); /* EAE */
	isb();
	write_mair_el1(MAP_MAIR);
	write_ttbr0_el1((reg_t)table);
	dsb_sy();
	isb();
	write_sctlr_el1(read_sctlr_el1() | 1);
	isb();
}

/* --- Thumb, entered without the use of a register --- */

static void halves(const uint16_t *list, unsigned count)
{
	emit(LOAD_PC_NEXT);
	emit((uint32_t)(code + 1) | 1);
	for (unsigned i = 0; i < count; i += 2)
		emit(list[i] | (uint32_t)(i + 1 < count ? list[i + 1] : THUMB_NOP) << 16);
	emit(THUMB_LOAD_PC);
	emit((uint32_t)stub_end);
}

static void emit_access(const struct access *access, unsigned n, unsigned base)
{
	uint32_t word = access->encoding;

	if (word >= 0xe0000000)
		emit(word | base << 16 | n << 12);
	else if (word < 0x10000)
		halves((uint16_t[]){ (uint16_t)(word | base << 3 | n) }, 1);
	else
		halves((uint16_t[]){ (uint16_t)(0xe000 | word >> 16 | base), (uint16_t)(n << 12) },
		       2);
}

/* Each block runs with the flags of a comparison of equal values. The instruction after an emulated
 * access is executed or not as after an access without a trap. */
static const struct it_block {
	const char *name;
	uint16_t code[10];
	uint8_t count, flags;
	struct {
		uint8_t n;
		uint32_t value;
	} expect[5];
} it_blocks[] = {
	/* itete eq; ldreq.n r1, [r0]; movne r2, #2; moveq r3, #3; movne r4, #4 */
	{ "it_first", { 0xbf0b, 0x6801, 0x2202, 0x2303, 0x2404 }, 5, 6, { { 1, IIDR }, { 3, 3 } } },
	/* itett eq; ldreq.w r10, [r0]; movne r1, #1; ldreq.n r2, [r0]; ldreq.w r12, [r0];
	 * movs r3, #1, which sets flags after the block; mov r5, #5 */
	{ "it_all",
	  { 0xbf09, 0xf8d0, 0xa000, 0x2101, 0x6802, 0xf8d0, 0xc000, 0x2301, 0xf04f, 0x0505 },
	  10,
	  2,
	  { { 10, IIDR }, { 2, IIDR }, { 12, IIDR }, { 3, 1 }, { 5, 5 } } },
	/* itee ne; movne r1, #1; ldreq.n r2, [r0]; ldreq.n r3, [r0]; it ne; movne r5, #5 */
	{ "it_last",
	  { 0xbf12, 0x2101, 0x6802, 0x6803, 0xbf18, 0x2505 },
	  6,
	  6,
	  { { 2, IIDR }, { 3, IIDR } } },
	/* itee ne; movne r5, #5; moveq r6, #6; smceq #0, which must be the last; movs r7, #1 */
	{ "it_smc",
	  { 0xbf12, 0x2505, 0x2606, 0xf7f0, 0x8000, 0x2701 },
	  6,
	  2,
	  { { 0, (uint32_t)SMC_RESULT }, { 6, 6 }, { 7, 1 } } },
};
/* ittee eq; mrceq p15, 0, r1, c1, c0, 1; moveq r7, #9; mrcne p15, 0, r8, c1, c0, 1; movne r9, #9 */
static const uint16_t it_mrc[] = { 0xbf07, 0xee11, 0x1f30, 0x2709, 0xee11, 0x8f30, 0xf04f, 0x0909 };

static void run_equal(const uint16_t *list, unsigned count)
{
	begin(SVC);
	stub_in[0] = gicd + GICD_IIDR;
	emit(CMP_R0_R0);
	halves(list, count);
	run_stub(SVC);
	expect_flags(6);
}

__attribute__((unused)) static void check_it_blocks(void)
{
	for (unsigned i = 0; i < COUNT(it_blocks); i++) {
		const struct it_block *block = &it_blocks[i];

		run_equal(block->code, block->count);
		expect_flags(block->flags);
		for (unsigned j = 0; j < COUNT(block->expect) && block->expect[j].value; j++)
			expected[block->expect[j].n] = block->expect[j].value;
		verify(block->name, -1, SVC);
	}
	run_equal(it_mrc, COUNT(it_mrc));
	expected[1] = actlr;
	expected[7] = 9;
	verify("it_mrc", -1, SVC);
}

static void check_thumb(void)
{
	static const uint16_t smc[] = { 0xf7f0, 0x8000 }, hvc_0[] = { 0xf7e0, 0x8000 };
	static const uint8_t narrow[] = { 1, 4, 7 }, wide[] = { 1, 7, 8, 12 };

	for (unsigned i = 0; i < COUNT(narrow); i++)
		every_access(SVC, thumb_narrow, COUNT(thumb_narrow), narrow[i]);
	for (unsigned i = 0; i < COUNT(wide); i++)
		every_access(SVC, thumb_wide, COUNT(thumb_wide), wide[i]);
#ifndef IN_GEM5 /* see CAVEATS.md */
	check_it_blocks();
#endif
	begin(SVC);
	halves(smc, 2);
	run_stub(SVC);
	expected[0] = (uint32_t)SMC_RESULT;
	verify("thumb_smc", -1, SVC);
	begin(SVC);
	stub_in[0] = HC_ID(NULL);
	halves(hvc_0, 2);
	run_stub(SVC);
	expected[0] = HVC_RESULT;
	verify("thumb_hvc", -1, SVC);
}

/* Instructions whose condition fails do nothing, whether they trap or not. */
static void check_condition(void)
{
	begin(SVC);
	emit(CMP_R0_R0);
	emit(0x1e116f30); /* mrcne p15, 0, r6, c1, c0, 1 */
	emit(0x11600070); /* smcne #0 */
	run_stub(SVC);
	expect_flags(6);
	verify("condition_fails", -1, SVC);
}

/* Take an interrupt in this mode at `b .`. */
static void interrupt(enum mode mode)
{
	uintptr_t here;

	begin(mode);
	code = stub_code;
	emit(CPSIE_I(mode));
	here = (uintptr_t)code;
	emit(HERE);
	if (mode != USR)
		emit(CPSID_I);
	start_timer();
	run_stub(mode);
	expected[SLOT_LR_IRQ] = here + 4;
	if (mode == USR)
		expected[SLOT_SPSR_SVC] &= ~PSR_I;
	expected[SLOT_SPSR_IRQ] = expected[mode == USR ? SLOT_SPSR_SVC : SLOT_FLAGS] & ~PSR_I;
	verify("irq", -1, mode);
}

static void check_accesses(void)
{
	static const struct {
		enum mode mode;
		unsigned n;
	} some[] = { { SVC, 0 }, { SVC, 7 }, { SVC, 12 }, { FIQ, 12 }, { USR, 14 } };

	for (unsigned n = 0; n < 8; n++)
		whole_accesses(SVC, n, n == 1 ? 0 : 1);
	load_at(SVC, &accesses[0], 1, 1, gicd + GICD_IIDR); /* the base is the data register */
	for (enum mode mode = USR; mode < MODES; mode++)
		for (unsigned n = 8; n < 15; n++)
			whole_accesses(mode, n, 0);
	for (unsigned i = 0; i < COUNT(some); i++)
		every_access(some[i].mode, accesses, COUNT(accesses), some[i].n);
}

static void check_others(void)
{
	for (enum mode mode = FIQ; mode < MODES; mode++)
		check_calls(mode);
	for (unsigned n = 0; n < 15; n++)
		if (n != 13)
			check_actlr(SVC, n);
	for (unsigned n = 8; n < 15; n++)
		if (n != 13)
			check_actlr(FIQ, n);
	check_actlr(IRQ, 14);
	check_actlr(ABT, 14);
	check_actlr(UND, 14);
	check_actlr(SYS, 14);
	check_condition();
	check_thumb();
	for (unsigned i = 0; i < 2; i++)
		for (enum mode mode = USR; mode < MODES; mode++)
			interrupt(mode);
	if (interrupts != 2 * MODES)
		fail("interrupts_counted", -1, "");
	check_wfi(SVC);
	check_woke_in_time();
	check_wfi(FIQ); /* the interrupt is still pending */
}
