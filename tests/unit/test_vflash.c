/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated flash: what a CFI driver asks, what it is told, and when its contents are mapped. */
/* LINK: hyp/vflash.c hyp/core.c hyp/vgic.c hyp/vgic_lr.c drivers/gic/gicv2.c drivers/gic/gic_dist.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "hyp/vm.h"
#include "tests/unit/fake/fake_hyp.h"

#define BANK 0x04000000u
#define READY 0x00800080u

static struct vcpu vcpu;
static struct vm vm;
static unsigned shows, hides;
static ipa_t shown_at;

void vm_show_loads(struct vm *of, ipa_t ipa, uint64_t size, bool on)
{
	assert_ptr_equal(of, &vm);
	assert_int_equal(size, BANK);
	shown_at = ipa;
	if (on)
		shows++;
	else
		hides++;
}

static uint32_t get(uint32_t offset)
{
	return (uint32_t)vflash_read(&vcpu, offset, 4);
}

static void set(uint32_t offset, uint32_t value)
{
	vflash_write(&vcpu, offset, 4, value);
}

static int setup(void **state)
{
	(void)state;
	memset(&vm, 0, sizeof(vm));
	vm.vcpu_count = 1;
	vm.vcpu[0] = &vcpu;
	vcpu.vm = &vm;
	vflash_reset(&vm);
	shows = hides = 0;
	return 0;
}

static void it_is_erased_at_first(void **state)
{
	(void)state;
	assert_int_equal(get(0), 0xffffffff);
	assert_int_equal(get(2 * BANK - 4), 0xffffffff);
	assert_int_equal((uint8_t)vflash_read(&vcpu, 5, 1), 0xff);
	assert_int_equal(shows + hides, 0);
}

/* As JESD68.01 has it, for two chips side by side. */
static void a_query_describes_it(void **state)
{
	static const char qry[] = "QRY";
	uint32_t blocks, block_size;

	(void)state;
	set(BANK + 0x55 * 4, 0x00980098);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(get(BANK + (0x10 + i) * 4), (uint32_t)qry[i] * 0x10001);
		assert_int_equal((uint8_t)vflash_read(&vcpu, BANK + (0x10 + i) * 4 + 2, 1), qry[i]);
		assert_int_equal((uint8_t)vflash_read(&vcpu, BANK + (0x10 + i) * 4 + 1, 1), 0);
	}
	assert_int_equal((uint16_t)get(BANK + 0x13 * 4), 1);
	assert_int_equal(2u << (uint16_t)get(BANK + 0x27 * 4), BANK);
	assert_int_equal((uint16_t)get(BANK + 0x2c * 4), 1);
	blocks = (get(BANK + 0x2d * 4) & 0xff) + ((get(BANK + 0x2e * 4) & 0xff) << 8) + 1;
	block_size = ((get(BANK + 0x2f * 4) & 0xff) + ((get(BANK + 0x30 * 4) & 0xff) << 8)) * 256;
	assert_int_equal(2 * blocks * block_size, BANK);
	assert_int_equal(get(BANK + 0x31 * 4), 'P' * 0x10001);
	assert_int_equal(get(BANK), 0);
	assert_int_equal(get(BANK + 0xff * 4), 0);
	assert_int_equal(get(0), 0xffffffff); /* the other bank shows its contents */
}

static void its_contents_are_mapped_while_it_shows_them(void **state)
{
	(void)state;
	set(0, 0xff);
	assert_int_equal(shows + hides, 0);
	set(BANK, 0x90);
	assert_int_equal(hides, 1);
	assert_int_equal(shown_at, BANK);
	assert_int_equal(get(BANK), 0x00890089);
	assert_int_equal(get(BANK + 4), 0x00180018);
	assert_int_equal(get(BANK + 8), 0x00010001);
	set(BANK, 0x70);
	assert_int_equal(get(BANK), READY);
	assert_int_equal(shows + hides, 1);
	set(BANK, 0xf0);
	assert_int_equal(shows, 1);
	assert_int_equal(get(BANK), 0xffffffff);
	set(0, 0x98);
	assert_int_equal(shown_at, 0);
	assert_int_equal(hides, 2);
}

static void nothing_is_erased_or_programmed(void **state)
{
	(void)state;
	set(BANK, 0x20);
	set(BANK, 0xd0);
	assert_int_equal(get(BANK), READY | 0x00220022);
	set(BANK, 0x50);
	set(BANK, 0x70);
	assert_int_equal(get(BANK), READY);
	set(BANK, 0x40);
	set(BANK, 0xffff0098); /* data, no command */
	assert_int_equal(get(BANK), READY | 0x00120012);
	set(BANK, 0x50);
	set(BANK, 0x10);
	set(BANK, 0x50); /* likewise */
	assert_int_equal(get(BANK), READY | 0x00120012);
	set(BANK, 0xff);
	assert_int_equal(get(BANK), 0xffffffff);
}

static void a_buffered_write_takes_its_words(void **state)
{
	(void)state;
	set(0, 0xe8);
	assert_int_equal(get(0), READY);
	set(0, 0x00020002); /* three words */
	for (unsigned i = 0; i < 3; i++) {
		set(4 * i, 0x98);
		assert_int_equal(get(0), READY);
	}
	set(0, 0xd0);
	assert_int_equal(get(0), READY | 0x00120012);
	set(0, 0x98);
	assert_int_equal((uint8_t)get(0x40), 'Q');
}

static void what_is_locked_stays_so(void **state)
{
	(void)state;
	set(0, 0x60);
	set(0, 0xd0);
	assert_int_equal(get(0), READY);
	set(0, 0x90);
	assert_int_equal(get(8), 0x00010001);
}

static void a_reset_shows_the_contents(void **state)
{
	(void)state;
	set(BANK, 0x98);
	set(0, 0x20);
	vflash_reset(&vm);
	assert_int_equal(shows, 2);
	assert_int_equal(get(BANK + 0x40), 0xffffffff);
	set(0, 0x70); /* is no longer an erase's second */
	assert_int_equal(get(0), READY);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, setup)
	static const struct CMUnitTest tests[] = {
		TEST(it_is_erased_at_first),
		TEST(a_query_describes_it),
		TEST(its_contents_are_mapped_while_it_shows_them),
		TEST(nothing_is_erased_or_programmed),
		TEST(a_buffered_write_takes_its_words),
		TEST(what_is_locked_stays_so),
		TEST(a_reset_shows_the_contents),
	};

	return cmocka_run_group_tests_name("vflash", tests, NULL, NULL);
}
