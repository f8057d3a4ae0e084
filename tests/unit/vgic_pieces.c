/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of writes to registers of many interrupts. EL2 changes PIECE_VIRQS interrupts in a visit,
 * and takes pending interrupts between two visits. Whatever comes between the visits, the final
 * state must be that of a write done at once. The reference is the state after as many writes to
 * one interrupt each.
 */
#include <string.h>

#include "drivers/gic/gic_regs.h"
#include "hyp/cpu/smp.h"
#include "hyp/vm/vgicd.h"
#include "lib/bits.h"
#include "lib/random.h"
#include "tests/unit/cores.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

#define WORD (FAKE_SPI_FIRST / 32) /* a register word with physical SPIs and others */
#define DEVICE (FAKE_SPI_FIRST + FAKE_SPI_COUNT - 1)
#define ALL 0xffffffffu
#define TAKEN_MAX 256u

static uint64_t word_read(unsigned n, uint32_t bank)
{
	return dist_read(n, bank + 4 * WORD, 4);
}

static void word_write(unsigned n, uint32_t bank, uint32_t value)
{
	dist_write(n, bank + 4 * WORD, 4, value);
}

/* --- the final state is that of a write done at once --- */

struct end {
	uint32_t registers[GICD_ICACTIVER / 128 - GICD_IGROUPR / 128 + 1];
	uint8_t priorities[32], targets[32], physical[FAKE_SPI_COUNT];
	uint16_t taken[TAKEN_MAX];
	unsigned taken_count;
};

/* Whether two interrupts may come in either order. */
static bool are_alike(unsigned one, unsigned other)
{
	const uint8_t *priority = cores_vm.dist.priority[0];

	return one >> 12 == other >> 12 && (priority[one & 0x7f] & VIRQ_PRIORITY_MASK) ==
						   (priority[other & 0x7f] & VIRQ_PRIORITY_MASK);
}

static void note_taken(struct end *end, unsigned n)
{
	uint16_t *taken = end->taken;
	uint32_t iar;

	while ((iar = cpu_ack(n)) < GIC_SPECIAL_BASE) {
		uint16_t one = (uint16_t)(iar | n << 12);
		unsigned at = end->taken_count++;

		assert_true(at < TAKEN_MAX);
		for (; at && are_alike(taken[at - 1], one) && taken[at - 1] > one; at--)
			taken[at] = taken[at - 1];
		taken[at] = one;
		cpu_eoi(n, iar);
	}
}

static void note_end(struct end *end)
{
	memset(end, 0, sizeof(*end));
	for (unsigned i = 0; i < sizeof(end->registers) / 4; i++)
		end->registers[i] = (uint32_t)word_read(0, GICD_IGROUPR + 128 * i);
	for (unsigned i = 0; i < 32; i++) {
		end->priorities[i] = (uint8_t)dist_read(0, GICD_IPRIORITYR + 32 * WORD + i, 1);
		end->targets[i] = (uint8_t)dist_read(0, GICD_ITARGETSR + 32 * WORD + i, 1);
	}
	for (unsigned i = 0; i < FAKE_SPI_COUNT; i++)
		end->physical[i] = fake_gic.irq[FAKE_SPI_FIRST + i].enabled;
	for (unsigned n = 0; n < cores_vm.vcpu_count; n++)
		note_taken(end, n);
}

/* Boot two vCPUs with disabled, enabled, pending and active interrupts at both. */
static void populate(uint32_t seed)
{
	struct random random;

	random_init(&random, seed, 0);
	cores_boot(2);
	for (unsigned i = 0; i < 32; i++) {
		unsigned intid = 32 * WORD + i;

		dist_write(0, GICD_IPRIORITYR + intid, 1, random_next(&random) & 0xf8);
		spi_target(intid, random_below(&random, 2));
		if (random_below(&random, 2))
			word_write(0, GICD_ISENABLER, BIT(i));
		if (random_below(&random, 4) == 0)
			word_write(0, GICD_ISPENDR, BIT(i));
	}
	for (unsigned n = 0; n < 2; n++) /* make interrupts active */
		for (unsigned i = 0; i < 6; i++)
			cpu_ack(n);
}

/* Write by one access: 4 bytes of a bank with a bit per interrupt, or 8 bytes of a bank with a byte
 * per interrupt. */
static void write_at_once(uint32_t bank, uint64_t value)
{
	if (bank < GICD_IPRIORITYR)
		word_write(1, bank, (uint32_t)value);
	else
		dist_write(1, bank + 32 * WORD + 3, 8, value);
}

static void write_one_by_one(uint32_t bank, uint64_t value)
{
	bool writes_zeros = bank == GICD_IGROUPR;

	for (unsigned i = 0; bank >= GICD_IPRIORITYR && i < 8; i++)
		dist_write(1, bank + 32 * WORD + 3 + i, 1, value >> 8 * i & 0xff);
	for (unsigned i = 0; bank < GICD_IPRIORITYR && i < 32; i++) {
		uint32_t rest = writes_zeros ? (uint32_t)word_read(1, bank) & ~BIT(i) : 0;

		if (writes_zeros || value >> i & 1)
			word_write(1, bank, rest | ((uint32_t)value & BIT(i)));
	}
}

TEST(a_write_to_many_ends_as_writes_to_each)
{
	static const uint32_t banks[] = { GICD_IGROUPR,   GICD_ISENABLER,  GICD_ICENABLER,
					  GICD_ISPENDR,   GICD_ICPENDR,    GICD_ISACTIVER,
					  GICD_ICACTIVER, GICD_IPRIORITYR, GICD_ITARGETSR };
	static const uint64_t values[] = { ~0ull, 0, 0x0102020101020102ull, 0xf0f8e0e8c0c8a0a8ull };
	struct end at_once, one_by_one;

	for (uint32_t seed = 0; seed < 8; seed++)
		for (unsigned i = 0; i < sizeof(banks) / 4 * 4; i++) {
			populate(seed);
			write_at_once(banks[i / 4], values[i % 4]);
			note_end(&at_once);
			populate(seed);
			write_one_by_one(banks[i / 4], values[i % 4]);
			note_end(&one_by_one);
			if (memcmp(&at_once, &one_by_one, sizeof(at_once)))
				fail_msg("seed %u, %#x to bank %#x", seed, (uint32_t)values[i % 4],
					 banks[i / 4]);
			assert_null(fake_gic_violation());
		}
}

/* --- pieces --- */

/* Boot one vCPU and enable every interrupt of the word. */
static void boot_enabled(void)
{
	cores_boot(1);
	word_write(0, GICD_ISENABLER, ALL);
}

/* Hold the core, write in pieces, and let the core take `taken` interrupts. The write leaves out
 * the physical SPIs, which arrive one by one. */
static void begin_pieces(unsigned taken)
{
	boot_enabled();
	cores_hold(0, true);
	word_write(0, GICD_ISPENDR, ~0xffu);
	for (unsigned i = 0; i < taken; i++)
		cores_take_one(0);
}

static void let_go(void)
{
	cores_hold(0, false);
	cores_settle();
}

/* Return the interrupts of the word that the vGIC has made pending so far. */
static uint32_t changed(void)
{
	return vgic_pending_of(&cores_vm.vcpu[0]->vgic, WORD, ALL);
}

static unsigned bits(uint32_t value)
{
	return (unsigned)__builtin_popcount(value);
}

TEST(one_interrupt_changes_at_once)
{
	boot_enabled();
	cores_hold(0, true);
	word_write(0, GICD_ISPENDR, BIT(16));
	assert_int_equal(changed(), BIT(16));
	word_write(0, GICD_ISENABLER, ALL); /* nothing changes */
	assert_false(cores_take_one(0));
}

TEST(no_visit_changes_more_than_a_piece)
{
	uint32_t before = 0;
	unsigned visits = 0;

	begin_pieces(0);
	assert_int_equal(changed(), 0);
	for (; cores_take_one(0); visits++) {
		assert_in_range(bits(changed() ^ before), visits < 24 / PIECE_VIRQS, PIECE_VIRQS);
		before = changed();
	}
	assert_int_equal(before, ~0xffu);
	assert_int_equal(visits, 24 / PIECE_VIRQS + 1); /* the last visit fills list registers */
}

TEST(an_access_to_several_words_changes_one_at_once)
{
	cores_boot(1);
	word_write(0, GICD_ISENABLER, ALL);
	dist_write(0, GICD_ISENABLER + 4 * WORD - 4, 4, ALL);
	cores_hold(0, true);
	dist_write(0, GICD_ISPENDR + 4 * WORD - 4, 8, BIT64(63) | BIT64(0));
	assert_int_equal(changed(), 0);
	assert_true(cores_take_one(0));
	assert_int_equal(changed(), BIT(31));
}

TEST(a_read_between_has_the_end)
{
	boot_enabled();
	cores_hold(0, true);
	word_write(0, GICD_ISPENDR, ALL);
	assert_int_equal(word_read(0, GICD_ISPENDR), ALL);
	cores_take_one(0);
	word_write(0, GICD_ICPENDR, ALL);
	assert_int_equal(word_read(0, GICD_ISPENDR), 0);
	word_write(0, GICD_ICENABLER, ALL);
	assert_int_equal(word_read(0, GICD_ISENABLER), 0);
}

/* An interrupt between two pieces takes the guest to other code, which writes again. */
TEST(the_last_write_counts)
{
	for (unsigned pieces = 0; pieces < 20; pieces++) {
		boot_enabled();
		cores_hold(0, true);
		word_write(0, GICD_ISPENDR, ALL);
		for (unsigned i = 0; i < pieces; i++)
			cores_take_one(0);
		word_write(0, GICD_ICPENDR, 0x00f00000); /* in pieces */
		word_write(0, GICD_ICPENDR, BIT(31));    /* at once */
		word_write(0, GICD_ISPENDR, BIT(22));
		let_go();
		assert_int_equal(word_read(0, GICD_ISPENDR), ~(0x80f00000u & ~BIT(22)));
	}
}

TEST(another_vcpu_that_writes_the_register_meanwhile_has_its_say)
{
	for (unsigned pieces = 0; pieces < 20; pieces++) {
		cores_boot(2);
		cores_hold(0, true);
		word_write(0, GICD_ISPENDR, ~0xffu);
		word_write(0, GICD_ISENABLER, ALL);
		for (unsigned i = 0; i < pieces; i++)
			cores_take_one(0);
		word_write(1, GICD_ICPENDR, 0xff000000);
		word_write(1, GICD_ICENABLER, 0x0000ffff);
		let_go();
		assert_int_equal(word_read(1, GICD_ISENABLER), 0xffff0000);
		assert_int_equal(word_read(0, GICD_ISPENDR), 0x00ffff00);
		assert_takes(0, 32 * WORD + 16);
	}
}

/* --- interrupts between pieces --- */

TEST(an_interrupt_comes_before_the_rest)
{
	uint32_t before;

	begin_pieces(1);
	before = changed();
	spi_raise(DEVICE);
	assert_true(cores_take_one(0));
	assert_true(gic_is_active(DEVICE));
	assert_int_equal(changed() & ~0xffu, before);
}

/* An interrupt that a device pends after the write to ICPENDR stays pending, however late the rest
 * of the write is. */
TEST(the_rest_of_icpendr_clears_no_later_interrupt)
{
	boot_enabled();
	word_write(0, GICD_ISPENDR, ~0xffu);
	cores_hold(0, true);
	word_write(0, GICD_ICPENDR, ALL);
	cores_take_one(0);
	spi_raise(DEVICE);
	let_go();
	assert_int_equal(word_read(0, GICD_ISPENDR), BIT(DEVICE % 32));
	assert_takes(0, DEVICE);
	assert_nobody_takes_anything();
}

/* DEVICE had the last list register, which is empty and still assigned to it. DEVICE - 1 comes
 * first, so that EL2 fills list registers between the pieces. */
TEST(the_rest_of_icpendr_clears_no_interrupt_of_a_fast_path)
{
	boot_enabled();
	dist_write(0, GICD_IPRIORITYR + 32 * WORD, 8, 0x0080808080808080);
	for (unsigned i = 0; i < 3; i++)
		spi_raise(32 * WORD + i);
	spi_raise(DEVICE);
	assert_takes(0, DEVICE);
	cores_hold(0, true);
	word_write(0, GICD_ICPENDR, BIT(0) | BIT(1) | BIT(2) | BIT(DEVICE % 32));
	cores_take_one(0);
	spi_raise(DEVICE - 1);
	cores_take_one(0);
	spi_raise(DEVICE);
	let_go();
	assert_takes(0, DEVICE);
	assert_takes(0, DEVICE - 1);
	assert_nobody_takes_anything();
}

TEST(a_vcpu_without_its_core_has_the_rest_later)
{
	begin_pieces(1);
	cores_load(0, false);
	let_go();
	assert_int_not_equal(cores_vm.vcpu[0]->vgic.posted.kinds, 0);
	cores_load(0, true);
	cores_settle();
	assert_int_equal(changed(), ~0xffu);
}

TEST(a_vcpu_that_is_reset_has_no_rest)
{
	cores_boot(1);
	cores_hold(0, true);
	for (unsigned word = 0; word < 4; word++)
		if (gic_version() == 2)
			dist_write(0, GICD_SPENDSGIR + 4 * word - word % 2, 8, ~0ull);
		else
			redist_write(0, GICR_SGI_OFFSET + GICD_ISPENDR, 4, ALL);
	cores_reset_private(0);
	let_go();
	assert_int_equal(vgic_pending_of(&cores_vm.vcpu[0]->vgic, 0, 0xffff), 0);
}

/* The vCPU publishes its states after all other posted work. */
TEST(others_that_read_states_leave_a_vcpu_its_fast_paths)
{
	struct vcpu *vcpu;

	cores_boot(2);
	vcpu = cores_vm.vcpu[0];
	cores_hold(0, true);
	vgic_post_kinds(vcpu, VGIC_POST_WORD(1) | VGIC_POST_PUBLISH(1));
	let_go();
	assert_int_equal(vcpu->vgic.posted.kinds, 0);
	assert_int_equal(vcpu->vgic.work, 0);
}
