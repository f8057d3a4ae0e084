/* SPDX-License-Identifier: Apache-2.0 */

#include "drivers/gic/gic_regs.h"
#include "tests/unit/cores.h"
#include "tests/unit/fake/fake_gic.h"
#include "tests/unit/unit.h"

#define GICD_WORDS (0x8000u / 4)
#define GICR_WORDS (2 * VGICR_SIZE / 4)

struct frame {
	uint64_t (*read)(unsigned n, uint32_t offset, unsigned size);
	uint32_t words;
};

static const struct frame gicd = { dist_read, GICD_WORDS };
static const struct frame gicr = { redist_read, GICR_WORDS };

/* Write a value to every register, priorities first. No pending interrupt is enabled. */
static void populate(void)
{
	cores_boot(2);
	for (uint32_t i = 0; i < VIRQ_COUNT; i++) {
		dist_write(i % 2, GICD_IPRIORITYR + i, 1, 0x11 * i);
		if (gic_version() == 3)
			redist_write(0, GICR_SGI_OFFSET + GICD_IPRIORITYR + i % 32, 1, 0x13 * i);
	}
	for (uint32_t i = 32; i < VIRQ_COUNT; i += 3)
		spi_target(i, 1);
	for (uint32_t i = 4; i < 16; i += 4) {
		dist_write(0, GICD_IGROUPR + i, 4, 0x9abcdef1 * i);
		dist_write(0, GICD_ISENABLER + i, 4, 0x0f1e2d3c);
		dist_write(0, GICD_ISPENDR + i, 4, 0xc0c00003);
		dist_write(0, GICD_ICFGR + 4 * i, 4, 0xa8a2088a);
	}
	if (gic_version() == 2)
		dist_write(0, GICD_SPENDSGIR, 4, 0x00810242);
}

static uint64_t from_words(const struct frame *frame, uint32_t offset, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++) {
		uint32_t at = offset + i;
		uint64_t word = at / 4 < frame->words ? frame->read(1, at & ~3u, 4) : 0;

		value |= (word >> 8 * (at % 4) & 0xff) << 8 * i;
	}
	return value;
}

static void check_reads(const struct frame *frame, uint32_t first, uint32_t end)
{
	for (uint32_t offset = first; offset < end; offset++)
		for (unsigned size = 1; size <= 8; size *= 2)
			if (frame->read(1, offset, size) != from_words(frame, offset, size))
				fail_msg("a read of %u bytes at %#x is %#lx", size, offset,
					 frame->read(1, offset, size));
}

TEST(a_read_has_the_bytes_it_covers)
{
	populate();
	check_reads(&gicd, 0, 0x1100);
	check_reads(&gicd, 0x60f8, 0x6500);
	if (gic_version() == 3) {
		check_reads(&gicr, 0, 0x40);
		check_reads(&gicr, GICR_SGI_OFFSET, GICR_SGI_OFFSET + 0xd00);
		check_reads(&gicr, VGICR_SIZE, VGICR_SIZE + 0x40);
	}
}

/* Whatever a guest accesses, no sanitizer reports an error and the rules of the GIC hold. */
TEST(every_offset_takes_every_width)
{
	for (unsigned count = 1; count <= VCPU_MAX; count++) {
		cores_boot(count);
		for (uint32_t offset = 0; offset < VGICD_SIZE; offset += offset < 0x7000 ? 1 : 5)
			for (unsigned size = 1; size <= 8; size *= 2) {
				unsigned n = offset % count;

				dist_write(n, offset, size, UINT64_MAX << offset % 64);
				dist_read(n, offset, size);
			}
		for (uint32_t offset = 0; gic_version() == 3 && offset < 5 * VGICR_SIZE;
		     offset += 7)
			for (unsigned size = 1; size <= 8; size *= 2) {
				redist_write(offset % count, offset, size, UINT64_MAX);
				redist_read(offset % count, offset, size);
			}
		assert_null(fake_gic_violation());
	}
}
