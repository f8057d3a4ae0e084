/* SPDX-License-Identifier: Apache-2.0 */

#include <string.h>

#include "drivers/gic/gic_regs.h"
#include "lib/bits.h"
#include "tests/unit/cores.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/unit.h"

#define GICD_WORDS (0x8000u / 4)
#define GICR_WORDS (2 * VGICR_SIZE / 4)

/* The registers that two vCPUs can read. */
#define BANKS_SIZE 0x1000u
struct image {
	uint32_t gicd[2][BANKS_SIZE / 4];
	uint32_t router[0x400 / 4];
	uint32_t gicr[2][2][BANKS_SIZE / 4]; /* by vCPU: RD_base, SGI_base */
};

static struct image narrow, wide;

/* The effect of a write of a word of a register. */
enum kind {
	KIND_IGNORES,
	KIND_KEEPS, /* the bytes that are written */
	KIND_ONES,  /* its ones act */
	KIND_WHOLE, /* a word acts, and nothing else */
};

static bool within(uint32_t offset, uint32_t first, uint32_t size)
{
	return offset - first < size;
}

static enum kind bank_kind(uint32_t offset)
{
	if (within(offset, GICD_IGROUPR, 0x80) || within(offset, GICD_IPRIORITYR, 0x400) ||
	    within(offset, GICD_ICFGR + 8, 0xf8))
		return KIND_KEEPS;
	return within(offset, GICD_ISENABLER, 0x300) ? KIND_ONES : KIND_IGNORES;
}

static enum kind gicd_kind(uint32_t offset)
{
	if (offset == GICD_CTLR || (offset == GICD_SGIR && gic_version() == 2))
		return KIND_WHOLE;
	if (gic_version() == 2 && within(offset, GICD_ITARGETSR, 0x400))
		return KIND_KEEPS;
	if (gic_version() == 2 && within(offset, GICD_CPENDSGIR, 0x20))
		return KIND_ONES;
	if (gic_version() == 3 && within(offset, GICD_IROUTER, 0x400))
		return KIND_KEEPS;
	return bank_kind(offset);
}

static enum kind gicr_kind(uint32_t offset)
{
	offset %= VGICR_SIZE;
	if (offset == GICR_WAKER)
		return KIND_WHOLE;
	return offset < GICR_SGI_OFFSET ? KIND_IGNORES : bank_kind(offset - GICR_SGI_OFFSET);
}

typedef uint64_t reader(unsigned n, uint32_t offset, unsigned size);
typedef void writer(unsigned n, uint32_t offset, unsigned size, uint64_t value);

struct frame {
	reader *read;
	writer *write;
	enum kind (*kind)(uint32_t offset);
	uint32_t words;
};

static const struct frame gicd = { dist_read, dist_write, gicd_kind, GICD_WORDS };
static const struct frame gicr = { redist_read, redist_write, gicr_kind, GICR_WORDS };

static void take_words(uint32_t *words, uint32_t size, reader *read, unsigned n, uint32_t first)
{
	for (uint32_t i = 0; i < size / 4; i++)
		words[i] = (uint32_t)read(n, first + 4 * i, 4);
}

static void take_image(struct image *image)
{
	take_words(image->router, sizeof(image->router), dist_read, 0, GICD_IROUTER);
	for (unsigned n = 0; n < 2; n++) {
		uint32_t frame = n * VGICR_SIZE;

		take_words(image->gicd[n], BANKS_SIZE, dist_read, n, 0);
		if (gic_version() == 2)
			continue;
		take_words(image->gicr[n][0], BANKS_SIZE, redist_read, n, frame);
		take_words(image->gicr[n][1], BANKS_SIZE, redist_read, n, frame + GICR_SGI_OFFSET);
	}
}

/* Something in every register. Priorities first, and nothing is enabled that is pending. */
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

static void expect_same(const char *what, uint32_t offset, unsigned size)
{
	if (memcmp(&narrow, &wide, sizeof(narrow)) == 0)
		return;
	for (uint32_t i = 0; i < sizeof(narrow) / 4; i++)
		if (((uint32_t *)&narrow)[i] != ((uint32_t *)&wide)[i])
			fail_msg("%s of %u bytes at %#x: word %#x of the image is %#x, not %#x",
				 what, size, offset, i, ((uint32_t *)&narrow)[i],
				 ((uint32_t *)&wide)[i]);
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

/* The same by words, as the kind of each register has it. */
static void write_by_words(const struct frame *frame, uint32_t offset, unsigned size,
			   uint64_t value)
{
	for (uint32_t at = offset & ~3u; at < offset + size; at += 4) {
		uint32_t lanes = 0;
		uint32_t word = 0;

		for (unsigned i = 0; i < 4; i++)
			if (at + i - offset < size) {
				lanes |= 0xffu << 8 * i;
				word |= (uint32_t)(value >> 8 * (at + i - offset) & 0xff) << 8 * i;
			}
		if (frame->kind(at) == KIND_KEEPS)
			word |= (uint32_t)frame->read(1, at, 4) & ~lanes;
		if (frame->kind(at) != KIND_WHOLE || lanes == 0xffffffff)
			frame->write(1, at, 4, word);
	}
}

static void check_write(const struct frame *frame, uint32_t offset, unsigned size, uint64_t value)
{
	populate();
	frame->write(1, offset, size, value);
	take_image(&narrow);
	populate();
	write_by_words(frame, offset, size, value);
	take_image(&wide);
	expect_same("a write", offset, size);
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

static void check_writes(const struct frame *frame, const uint32_t *offsets, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		for (unsigned skip = 0; skip < 4; skip++)
			for (unsigned size = 1; size <= 8; size *= 2)
				check_write(frame, offsets[i] + skip, size, 0x020301f0a50100ff);
}

/* One register of each bank, with the registers beside it, at every alignment. */
TEST(a_write_acts_by_the_bytes_it_covers)
{
	static const uint32_t dist[] = { GICD_CTLR,
					 GICD_IGROUPR + 4,
					 GICD_ISENABLER + 4,
					 GICD_ICENABLER + 4,
					 GICD_ISPENDR + 4,
					 GICD_ICPENDR + 4,
					 GICD_ISACTIVER + 4,
					 GICD_ICACTIVER + 4,
					 GICD_IPRIORITYR + 40,
					 GICD_ITARGETSR - 4,
					 GICD_ITARGETSR + 40,
					 GICD_ICFGR + 12,
					 GICD_SGIR,
					 GICD_SGIR + 12,
					 GICD_SPENDSGIR - 4,
					 GICD_IROUTER + 8 * 40 };
	static const uint32_t redist[] = { GICR_WAKER - 4, GICR_SGI_OFFSET + GICD_IGROUPR,
					   GICR_SGI_OFFSET + GICD_ISENABLER,
					   GICR_SGI_OFFSET + GICD_IPRIORITYR + 24,
					   GICR_SGI_OFFSET + GICD_ICFGR };

	check_writes(&gicd, dist, ARRAY_SIZE(dist));
	if (gic_version() == 3)
		check_writes(&gicr, redist, ARRAY_SIZE(redist));
}

/* Any access of a guest: no sanitizer reports, and the GIC's rules hold. */
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
