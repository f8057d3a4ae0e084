/* SPDX-License-Identifier: Apache-2.0 */
/* The host's own page tables stand in for those of a guest. One file is mapped straight as the
 * physical addresses, and page by page as the virtual addresses, wrongly where a test wants it. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "lib/page_tags.h"
#include "tests/unit/unit.h"

#define PAGE 4096u
#define PAGES 16u /* tagged pages; as many others lie after them */

static int file;
static uint8_t *physical;
static uint8_t *alias;

static void map_page(unsigned page, unsigned to)
{
	void *wanted = alias + page * PAGE;

	assert_ptr_equal(mmap(wanted, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
			      (off_t)(to * PAGE)),
			 wanted);
}

static void setup(void)
{
	file = memfd_create("memory", 0);
	assert_true(file >= 0);
	assert_int_equal(ftruncate(file, 2 * PAGES * PAGE), 0);
	physical = mmap(NULL, 2 * PAGES * PAGE, PROT_READ, MAP_SHARED, file, 0);
	alias = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(physical, MAP_FAILED);
	assert_ptr_not_equal(alias, MAP_FAILED);
	for (unsigned page = 0; page < PAGES; page++)
		map_page(page, page);
}

static void teardown(void)
{
	munmap(physical, 2 * PAGES * PAGE);
	munmap(alias, PAGES * PAGE);
	close(file);
}

static uint32_t peek(uint64_t address)
{
	return *(volatile uint32_t *)(uintptr_t)address;
}

static void assert_wrong(uint32_t salt, uint32_t wrong_alias, uint32_t wrong_peek)
{
	const struct page_tags tags = { (uintptr_t)alias, (uintptr_t)physical, PAGES, salt };

	page_tags_write(&tags);
	assert_int_equal(page_tags_wrong(&tags), wrong_alias);
	assert_int_equal(page_tags_wrong_at(&tags, peek), wrong_peek);
}

EACH_TEST(setup, teardown);

TEST(a_right_mapping_has_no_fault)
{
	assert_wrong(0, 0, 0);
	assert_wrong(1, 0, 0);
}

TEST(two_pages_in_one_are_found)
{
	map_page(5, 4);
	assert_wrong(0, 1, 2); /* page 4 holds the word of page 5, page 5 holds none */
}

TEST(two_pages_exchanged_are_found)
{
	map_page(5, 4);
	map_page(4, 5);
	assert_wrong(0, 0, 2);
}

TEST(a_page_led_outside_is_found)
{
	map_page(7, PAGES + 3);
	assert_wrong(0, 0, 1);
}

TEST(all_pages_shifted_are_found)
{
	for (unsigned page = 0; page < PAGES; page++)
		map_page(page, page + 1);
	assert_wrong(0, 0, PAGES);
}

/* An earlier run with a right mapping has left its words in memory. */
TEST(words_of_another_run_do_not_hide_a_fault)
{
	assert_wrong(3, 0, 0);
	map_page(7, PAGES + 3);
	assert_wrong(4, 0, 1);
}
