/* SPDX-License-Identifier: Apache-2.0 */
/* Syndromes of data aborts. A syndrome with an instruction beside it was read from ESR_EL2 when
 * that instruction was executed (Cortex-A72 as QEMU models it). The others are put together by DDI
 * 0487 D13.2.37. */

#include "hyp/trap/trap_decode.h"
#include "lib/bits.h"
#include "tests/unit/unit.h"

#define VALUE 0xf1f2f3f4f5f6f7f8ull

struct access {
	uint32_t esr;
	unsigned size;
	bool write;
	unsigned reg;
	uint64_t loaded; /* what the register holds after a load of VALUE */
};

static const struct access accesses[] = {
	{ 0x93010005, 1, false, 1, 0xf8 },               /* ldrb w1, [x0] */
	{ 0x93420005, 2, false, 2, 0xf7f8 },             /* ldrh w2, [x0] */
	{ 0x93830005, 4, false, 3, 0xf5f6f7f8 },         /* ldr w3, [x0] */
	{ 0x93c48005, 8, false, 4, VALUE },              /* ldr x4, [x0] */
	{ 0x93250005, 1, false, 5, 0xfffffff8 },         /* ldrsb w5, [x0] */
	{ 0x93660005, 2, false, 6, 0xfffff7f8 },         /* ldrsh w6, [x0] */
	{ 0x93278005, 1, false, 7, 0xfffffffffffffff8 }, /* ldrsb x7, [x0] */
	{ 0x93688005, 2, false, 8, 0xfffffffffffff7f8 }, /* ldrsh x8, [x0] */
	{ 0x93a98005, 4, false, 9, 0xfffffffff5f6f7f8 }, /* ldrsw x9, [x0] */
	{ 0x939f0005, 4, false, 31, 0xf5f6f7f8 },        /* ldr wzr, [x0] */
	{ 0x931e0005, 1, false, 30, 0xf8 },              /* ldrb w30, [x0] */
	{ 0x930a0045, 1, true, 10, 0 },                  /* strb w10, [x0] */
	{ 0x934b0045, 2, true, 11, 0 },                  /* strh w11, [x0] */
	{ 0x938c0045, 4, true, 12, 0 },                  /* str w12, [x0] */
	{ 0x93cd8045, 8, true, 13, 0 },                  /* str x13, [x0] */
	{ 0x939f0045, 4, true, 31, 0 },                  /* str wzr, [x0] */
	{ 0x93df8045, 8, true, 31, 0 },                  /* str xzr, [x0] */
	{ 0x93810007, 4, false, 1, 0xf5f6f7f8 },         /* ldr r1, [r0] (Cortex-A15) */
	{ 0x93880047, 4, true, 8, 0 },                   /* str r8, [r0] (Cortex-A15) */
};

TEST(the_guest_gets_the_fault_of_bare_hardware)
{
	assert_int_equal(abort_guest_fsc(0x93830006), 0x10); /* no memory, no device */
	assert_int_equal(abort_guest_fsc(0x8200000f), 0x10);
	assert_int_equal(abort_guest_fsc(0x92000086), 0x15); /* a stage-1 walk */
	assert_int_equal(abort_guest_fsc(0x93830021), 0x21); /* alignment */
}

TEST(every_access_is_decoded)
{
	for (unsigned i = 0; i < ARRAY_SIZE(accesses); i++) {
		const struct access *a = &accesses[i];

		assert_int_equal(ESR_EC(a->esr), EC_DABT_LOW);
		assert_true(abort_is_unmapped(a->esr));
		assert_true(abort_is_emulated(a->esr));
		assert_int_equal(abort_size(a->esr), a->size);
		assert_int_equal(!!(a->esr & DABT_WNR), a->write);
		assert_int_equal(DABT_SRT(a->esr), a->reg);
		if (!a->write)
			assert_int_equal(abort_load_value(a->esr, VALUE), a->loaded);
	}
}

/* The guest does not see bits of a device's answer beyond the access, and a positive value is not
 * extended with ones. */
TEST(only_the_accessed_bytes_count)
{
	static const struct {
		uint32_t esr;
		uint64_t value, loaded;
	} rows[] = {
		{ 0x93250005, 0x17f, 0x7f },            /* ldrsb w5, [x0] */
		{ 0x93a98005, 0x7fffffff, 0x7fffffff }, /* ldrsw x9, [x0] */
		{ 0x93010005, 0xffffff00, 0 },
		{ 0x93420005, 0xffff0000, 0 },
		{ 0x93830005, 0xffffffff00000000, 0 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(abort_load_value(rows[i].esr, rows[i].value), rows[i].loaded);
}
