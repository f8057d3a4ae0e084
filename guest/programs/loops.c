/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops of known length, one with integers and one with floating point, without interrupts and
 * memory accesses: no configuration should change their time.
 * Proof: tests/qemu/test_programs.py.
 */
#include "guest/measure/program.h"
#include "guest_arch/work.h"
#include "lib/crc32.h"

#define ROUNDS 100000u

static uint64_t result;

static void loop_prepare(uint32_t seed)
{
	(void)seed;
	result = 0;
}

static void run_int(void)
{
	result = work_int(ROUNDS);
}

static void run_fp(void)
{
	result = work_fp(ROUNDS);
}

static uint32_t loop_checksum(void)
{
	return crc32_update(0, &result, sizeof(result));
}

static const struct program loop_int = {
	.prepare = loop_prepare,
	.run = run_int,
	.checksum = loop_checksum,
};
PROGRAM(loop_int);

static const struct program loop_fp = {
	.prepare = loop_prepare,
	.run = run_fp,
	.checksum = loop_checksum,
};
PROGRAM(loop_fp);
