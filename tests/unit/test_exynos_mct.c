/* SPDX-License-Identifier: Apache-2.0 */
/* The Exynos multi-core timer is started by its own protocol, once, and by Arndale's board where
 * it is there. The timer's rules: the device tree binding samsung,exynos4210-mct. */
/* LINK: drivers/timer/exynos_mct.c boards/arndale/board.c */

#include "arch/sysreg.h"
#include "boards/board.h"
#include "drivers/timer/timer.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define ARNDALE_MCT 0x101c0000u
#define ARNDALE_RESET 0x10040400u
#define G_CNT_L 0x100u
#define G_CNT_U 0x104u
#define G_TCON 0x240u
#define G_WSTAT 0x24cu
#define START (1u << 8)
#define COMPARE_ENABLE 1u /* of another user: stays */
#define ACTLR_SMP (1u << 6)

/* Arndale names no part but through these. */
const struct uart_part uart_exynos4210;

static struct {
	uintptr_t base;
	uint32_t control, status;
	unsigned starts, late, acknowledged;
	bool deaf;
} mct;

static uint32_t reset_written;

static uint64_t mct_read(uintptr_t address, unsigned size)
{
	assert_int_equal(size, 4);
	switch (address - mct.base) {
	case G_TCON:
		return mct.control;
	case G_WSTAT:
		if (mct.late) {
			mct.late--;
			return 0;
		}
		return mct.status;
	default:
		fail_msg("read of %#lx", (unsigned long)address);
		return 0;
	}
}

/* The counter's value is nobody's to write: with it, time would jump. */
static void mct_write(uintptr_t address, unsigned size, uint64_t value)
{
	assert_int_equal(size, 4);
	switch (address - mct.base) {
	case G_TCON:
		mct.starts++;
		mct.control = (uint32_t)value;
		mct.status = mct.deaf ? 0 : 1u << 16;
		return;
	case G_WSTAT:
		mct.acknowledged++;
		mct.status &= ~(uint32_t)value;
		return;
	case G_CNT_L:
	case G_CNT_U:
		fail_msg("the counter was written");
		return;
	default:
		if (address != ARNDALE_RESET)
			fail_msg("write to %#lx", (unsigned long)address);
		reset_written = (uint32_t)value;
	}
}

static void setup(void)
{
	fake_reset();
	fake_mmio.read = mct_read;
	fake_mmio.write = mct_write;
	mct = (typeof(mct)){ .base = 0x10050000 };
	reset_written = 0;
}

EACH_TEST(setup, NULL);

TEST(start_sets_the_bit_and_acknowledges)
{
	mct.control = COMPARE_ENABLE;
	mct.late = 3;
	assert_true(exynos_mct_start(mct.base));
	assert_int_equal(mct.control, START | COMPARE_ENABLE);
	assert_int_equal(mct.acknowledged, 1);
	assert_int_equal(mct.status, 0);
}

TEST(second_start_writes_nothing)
{
	assert_true(exynos_mct_start(mct.base));
	assert_true(exynos_mct_start(mct.base));
	assert_int_equal(mct.starts, 1);
	assert_int_equal(mct.acknowledged, 1);
}

TEST(write_that_does_not_arrive_is_told)
{
	mct.deaf = true;
	assert_false(exynos_mct_start(mct.base));
	assert_int_equal(mct.acknowledged, 0);
}

TEST(arndale_starts_its_own)
{
	mct.base = ARNDALE_MCT;
	assert_true(board.counter_start());
	assert_int_equal(mct.control, START);
	mct.control = 0;
	mct.deaf = true;
	assert_false(board.counter_start());
}

TEST(arndale_sets_smp_and_looks_at_it)
{
	fake_actlr_el1 = 1;
	assert_true(board.coherency_start());
	assert_int_equal(fake_actlr_el1, 1 | ACTLR_SMP);
}

static bool not_written(const uint64_t *variable, uint64_t value)
{
	(void)value;
	return variable == &fake_actlr_el1;
}

TEST(arndale_tells_an_smp_that_stays_0)
{
	fake_sysregs.write = not_written;
	assert_false(board.coherency_start());
}

TEST(arndale_resets_by_its_power_unit)
{
	board.reset();
	assert_int_equal(reset_written, 1);
}
