/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check without times: the null device behaves as in abi/null_device.h, access by access, at
 * widths of 8, 16 and 32 bits. Without stage 2 memory replaces the device. Each check counts its
 * accesses (`tried`) and the `wrong` ones.
 *   reset    every register is 0 when a step begins
 *   scratch  reads return the written value
 *   data     COUNT and SUM
 *   others   read-only and missing registers
 *   double   64 bits at once; on AArch32 two accesses
 *   memory   without stage 2 the page returns the written values
 * Proof: tests/qemu/test_run.py.
 */
#include "abi/null_device.h"
#include "arch/mmio.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"
#include "lib/bits.h"

#define WRITES 100u

struct tally {
	uint32_t tried, wrong;
};

static void expect(struct tally *tally, uint64_t value, uint64_t expected)
{
	tally->tried++;
	tally->wrong += value != expected;
}

static void report_tally(const char *variant, const struct tally *tally)
{
	struct member members[] = { { "tried", tally->tried }, { "wrong", tally->wrong } };

	report_check(variant, tally->wrong == 0, members, 2);
}

/* Check the registers at the begin of a step. */
static void check_reset(uintptr_t device)
{
	struct tally tally = { 0, 0 };

	for (uint32_t offset = 0; offset < NULL_DEVICE_SIZE; offset += 4)
		expect(&tally, mmio_read32(device + offset), 0);
	report_tally("reset", &tally);
}

static void check_scratch(uintptr_t device)
{
	struct tally tally = { 0, 0 };
	uintptr_t scratch = device + NULL_DEVICE_SCRATCH;

	mmio_write32(scratch, 0x12345678);
	expect(&tally, mmio_read32(scratch), 0x12345678);
	expect(&tally, mmio_read8(scratch), 0x78);
	expect(&tally, mmio_read8(scratch + 3), 0x12);
	expect(&tally, mmio_read16(scratch + 2), 0x1234);
	mmio_write8(scratch + 1, 0xab);
	expect(&tally, mmio_read32(scratch), 0x1234ab78);
	mmio_write16(scratch + 2, 0xcdef);
	expect(&tally, mmio_read32(scratch), 0xcdefab78);
	report_tally("scratch", &tally);
}

/* Check COUNT and SUM, and the effect of a narrow store to DATA. */
static void check_data(uintptr_t device)
{
	struct tally tally = { 0, 0 };
	uint32_t sum = 0;

	for (uint32_t i = 0; i < WRITES; i++) {
		sum += 0x9e3779b9u * (i + 1); /* overflows 32 bits soon */
		mmio_write32(device + NULL_DEVICE_DATA, 0x9e3779b9u * (i + 1));
	}
	expect(&tally, mmio_read32(device + NULL_DEVICE_COUNT), WRITES);
	expect(&tally, mmio_read32(device + NULL_DEVICE_SUM), sum);
	expect(&tally, mmio_read32(device + NULL_DEVICE_DATA), 0);
	mmio_write8(device + NULL_DEVICE_DATA, 0xff);
	mmio_write16(device + NULL_DEVICE_DATA + 2, 0x0102);
	expect(&tally, mmio_read32(device + NULL_DEVICE_COUNT), WRITES + 2);
	expect(&tally, mmio_read32(device + NULL_DEVICE_SUM), sum + 0xff + 0x01020000);
	expect(&tally, mmio_read8(device + NULL_DEVICE_SUM + 3), (sum + 0x010200ff) >> 24);
	report_tally("data", &tally);
}

/*
 * Check that read-only registers keep their values, missing ones read as 0, and nothing else
 * changed.
 */
static void check_others(uintptr_t device)
{
	struct tally tally = { 0, 0 };
	uint32_t count = mmio_read32(device + NULL_DEVICE_COUNT);
	uint32_t sum = mmio_read32(device + NULL_DEVICE_SUM);

	for (uint32_t offset = NULL_DEVICE_COUNT; offset < NULL_DEVICE_SIZE; offset += 4)
		mmio_write32(device + offset, ~0u);
	expect(&tally, mmio_read32(device + NULL_DEVICE_COUNT), count);
	expect(&tally, mmio_read32(device + NULL_DEVICE_SUM), sum);
	for (uint32_t offset = NULL_DEVICE_SUM + 4; offset < NULL_DEVICE_SIZE; offset += 4)
		expect(&tally, mmio_read32(device + offset), 0);
	expect(&tally, mmio_read32(device + NULL_DEVICE_SCRATCH), 0xcdefab78);
	report_tally("others", &tally);
}

/* Check accesses of 64 bits (two accesses on Armv7) to SCRATCH and DATA. */
static void check_double(uintptr_t device)
{
	struct tally tally = { 0, 0 };
	uint32_t count = mmio_read32(device + NULL_DEVICE_COUNT);
	uint32_t sum = mmio_read32(device + NULL_DEVICE_SUM);

	mmio_write64(device + NULL_DEVICE_SCRATCH, 0x0000000387654321);
	expect(&tally, mmio_read64(device + NULL_DEVICE_SCRATCH), 0x87654321);
	expect(&tally, mmio_read64(device + NULL_DEVICE_COUNT),
	       (uint64_t)(sum + 3) << 32 | (count + 1));
	report_tally("double", &tally);
}

static void check_memory(uintptr_t device)
{
	struct tally tally = { 0, 0 };

	for (uint32_t offset = 0; offset < NULL_DEVICE_SIZE; offset += 4)
		mmio_write32(device + offset, offset + 1);
	for (uint32_t offset = 0; offset < NULL_DEVICE_SIZE; offset += 4)
		expect(&tally, mmio_read32(device + offset), offset + 1);
	report_tally("memory", &tally);
}

/* The order matters: each check depends on the one before. */
static void (*const checks[])(uintptr_t device) = {
	check_scratch,
	check_data,
	check_others,
	check_double,
};

static void null_device_run(const struct guest_run *run)
{
	uintptr_t device = (uintptr_t)run->device_base;

	check_reset(device);
	if (run->config.stage2 == STAGE2_OFF) {
		check_memory(device);
		return;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(checks); i++)
		checks[i](device);
}

static const struct bench null_device = { .name = "null_device", .run = null_device_run };
BENCH(null_device);
